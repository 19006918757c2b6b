// SPDX-License-Identifier: Apache-2.0
import { pointerOf, type HttpTool } from '@writ/contract';
import { RequestError } from './request-error.ts';
import { percentEncoded, simpleText } from './serialize.ts';

/** A part of a path that an input fills. */
export const PATH_INPUT = /\{([^{}]+)\}/g;

/**
 * Control characters; and what a lenient server, which decodes a path before it splits it, or which cuts off what
 * follows a `;`, could read as a segment that leads upwards.
 */
const LEADS_ELSEWHERE = /[\0-\x1f\x7f]|(?:^|[/\\])\.{1,2}(?:;[^/\\]*)?(?:[/\\]|$)/;

/**
 * The path of a request. INVARIANT (one structure): a value stands within its segment, whatever it is. An empty value,
 * and one that a server could take for `.` or `..`, is refused. @throws RequestError
 */
export function pathOf(
  { path, inputs }: Pick<HttpTool, 'path' | 'inputs'>,
  args: Readonly<Record<string, unknown>>,
): string {
  const written = path.replaceAll(PATH_INPUT, (_whole, name: string) => {
    const input = inputs.find((one) => one.in === 'path' && one.name === name);
    if (input === undefined) throw new RequestError('', `the path has no argument for \`{${name}}\``);
    const pointer = pointerOf(input.argument);
    const encode = (text: string): string => {
      if (LEADS_ELSEWHERE.test(text))
        throw new RequestError(
          pointer,
          'stands in a path, where it would lead elsewhere: `.`, `..` or a control character',
        );
      return percentEncoded(text);
    };
    const text = simpleText(input, args[input.argument], encode);
    if (text === '') throw new RequestError(pointer, 'stands in a path and must not be empty');
    return text;
  });
  // Two inputs of one segment can make `..` together.
  if (written.split('/').some((segment) => /^\.{1,2}$/.test(segment)))
    throw new RequestError('', 'the arguments make a segment of the path that leads upwards');
  return written;
}
