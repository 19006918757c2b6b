// SPDX-License-Identifier: Apache-2.0
import type { Answer, RenderedMessage } from '../dialect.ts';
import { DIALECT_LIMITS } from '../limits.ts';
import { OUTCOME_STATUSES } from '../outcome-status.ts';
import { harmlessJson, NOTICE_CHARS } from '../text/harmless.ts';
import { readable } from '../text/readable.ts';

/** The guidance for a model after rounds with only failures. */
export const PIVOT_GUIDANCE =
  "Every action of the last two rounds failed. Don't try the same again: read what the errors say, take another way, or tell the user what stands in the way.";

/** A system message: `Action results:`, and a line of JSON for each. */
export function renderYips(answers: readonly Answer[]): RenderedMessage[] {
  return answers.length === 0
    ? []
    : [{ role: 'system', content: ['Action results:', ...answers.map(lineOf)].join('\n') }];
}

function lineOf({ call_id, name, tool_id, show, outcome: { standing, result, error, metadata } }: Answer): string {
  const all = { ...metadata, ...(show.legacy === true ? { legacyTranslated: true } : {}) };
  const shown =
    result === null || result === undefined
      ? null
      : readable(tool_id, result, show.chars_max ?? DIALECT_LIMITS.shownChars);
  const line = {
    id: call_id,
    name,
    status: OUTCOME_STATUSES[standing].word,
    ...(shown === null ? {} : { output: shown.text, ...(shown.cut === null ? {} : { cut: shown.cut }) }),
    ...(error === null ? {} : { error }),
    ...(show.warnings === undefined ? {} : { warnings: show.warnings }),
    ...(Object.keys(all).length === 0 ? {} : { metadata: all }),
  };
  return harmlessJson(line, DIALECT_LIMITS.shownChars + NOTICE_CHARS);
}
