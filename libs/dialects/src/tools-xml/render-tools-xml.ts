// SPDX-License-Identifier: Apache-2.0
import type { Answer, RenderedMessage } from '../dialect.ts';
import { DIALECT_LIMITS } from '../limits.ts';
import { OUTCOME_STATUSES } from '../outcome-status.ts';
import { harmlessAttribute, harmlessCdata } from '../text/harmless.ts';
import { readable } from '../text/readable.ts';
import { truncated } from '../text/truncate.ts';

/** One `<results>` block, an element per tool in order. */
export function renderToolsXml(answers: readonly Answer[]): RenderedMessage[] {
  return answers.length === 0
    ? []
    : [{ role: 'user', content: `<results>\n${answers.map(elementOf).join('\n')}\n</results>` }];
}

const NAMES: ReadonlySet<string> = new Set(['command', 'edit', 'read', 'get_value', 'input', 'ctrl', 'call']);

function elementOf({ call_id, name, tool_id, outcome: { standing, result, error } }: Answer): string {
  const [tool = '', part] = (name ?? '').split(' ');
  const element = NAMES.has(tool) ? tool : 'tool';
  const exit = (result as { exit_code?: unknown } | null)?.exit_code;
  const attributes: readonly (readonly [string, unknown])[] = [
    ['id', call_id],
    ['name', element === 'tool' ? name : null],
    [element === 'call' ? 'tool' : 'part', part],
    ['status', OUTCOME_STATUSES[standing].word],
    ['exit_code', exit],
    ['error', error?.code],
  ];
  const shown = attributesText(attributes);
  const text = (content: string): string => harmlessCdata(truncated(content, DIALECT_LIMITS.shownChars));
  const message =
    error === null
      ? ''
      : `<message>${text([error.message, error.hint ?? ''].filter((each) => each !== '').join('\n'))}</message>`;
  const output = result === null || result === undefined ? '' : outputOf(tool_id, result);
  return message + output === '' ? `<${element}${shown}/>` : `<${element}${shown}>${message}${output}</${element}>`;
}

/** The text of a result, and its counts if it was cut. */
function outputOf(toolId: string | null, result: unknown): string {
  const { text, cut } = readable(toolId, result, DIALECT_LIMITS.shownChars);
  return `<output${attributesText(Object.entries(cut ?? {}))}>${harmlessCdata(text)}</output>`;
}

const attributesText = (attributes: readonly (readonly [string, unknown])[]): string =>
  attributes
    .flatMap(([key, value]) =>
      value === null || value === undefined || value === '' ? [] : [` ${key}="${harmlessAttribute(String(value))}"`],
    )
    .join('');
