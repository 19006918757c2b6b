// SPDX-License-Identifier: Apache-2.0
import type { Answer, RenderedMessage } from '../dialect.ts';
import { DIALECT_LIMITS } from '../limits.ts';
import { OUTCOME_STATUSES } from '../outcome-status.ts';
import { harmlessJson } from '../text/harmless.ts';
import { readable } from '../text/readable.ts';
import { truncated } from '../text/shown.ts';

/** What a model is told after rounds in which everything failed. */
export const PIVOT_GUIDANCE =
  "Every action of the last two rounds failed. Don't try the same again: read what the errors say, take another way, or tell the user what stands in the way.";

/** Room for the notice of what an output lacks. */
const NOTICE_CHARS = 100;

/** A system message: `Action results:`, and a line of JSON for each. */
export function renderYips(answers: readonly Answer[]): RenderedMessage[] {
  return answers.length === 0
    ? []
    : [{ role: 'system', content: ['Action results:', ...answers.map(lineOf)].join('\n') }];
}

function lineOf({ call_id, name, tool_id, show, outcome: { standing, result, error, metadata } }: Answer): string {
  const all = { ...metadata, ...(show.legacy === true ? { legacyTranslated: true } : {}) };
  const line = {
    id: call_id,
    name,
    status: OUTCOME_STATUSES[standing].word,
    ...(result === null || result === undefined
      ? {}
      : { output: truncated(readable(tool_id, result), show.chars_max ?? DIALECT_LIMITS.shownChars) }),
    ...(error === null ? {} : { error }),
    ...(Object.keys(all).length === 0 ? {} : { metadata: all }),
  };
  return harmlessJson(line, DIALECT_LIMITS.shownChars + NOTICE_CHARS);
}
