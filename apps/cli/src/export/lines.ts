// SPDX-License-Identifier: Apache-2.0
//
// Lines of an export. What comes from a server is attacker-controlled.
import { parseMessage } from '@writ/contract';
import { Type } from 'typebox';
import { CliError } from '../cli-error.ts';

/** Longer than a record with its proof is in any format. */
const LINE_CHARS_MAX = 256 * 1024;

const Index = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** Where each format says which leaf a line is. */
const PLACES = {
  dsse: (line: unknown) => parseMessage(Type.Object({ leaf_index: Index }), line).leaf_index,
  receipt: (line: unknown) =>
    parseMessage(Type.Object({ inclusion: Type.Object({ leaf_index: Index }) }), line).inclusion.leaf_index,
  cloudevents: (line: unknown) =>
    Number(parseMessage(Type.Object({ sequence: Type.String({ pattern: '^[0-9]{16}$' }) }), line).sequence),
  ocsf: (line: unknown) =>
    parseMessage(Type.Object({ metadata: Type.Object({ sequence: Index }) }), line).metadata.sequence,
} as const;
export type Format = keyof typeof PLACES;
export const FORMATS = Object.keys(PLACES) as readonly Format[];

/** A line with its newline, and the leaf that it is. */
export interface Line {
  readonly text: string;
  readonly leafIndex: number;
}

/**
 * The whole lines of what a server sends: empty ones, which only keep a connection open, are left out, and so is the
 * rest of one that broke off.
 * @throws CliError `answer`
 */
export async function* readLines(body: AsyncIterable<string>, format: Format): AsyncGenerator<Line> {
  let rest = '';
  for await (const part of body) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LINE_CHARS_MAX) throw new CliError('answer', 'a line is longer than any record: is this Writ?');
    for (const line of lines) if (line !== '') yield { text: `${line}\n`, leafIndex: indexIn(line, format) };
  }
}

function indexIn(line: string, format: Format): number {
  try {
    return PLACES[format](JSON.parse(line));
  } catch (cause) {
    throw new CliError(
      'answer',
      `a line is no record of the format \`${format}\`: are both of the same version?`,
      undefined,
      { cause },
    );
  }
}
