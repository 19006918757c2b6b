// SPDX-License-Identifier: Apache-2.0
import type { Answer, RenderedMessage } from '../dialect.ts';
import { DIALECT_LIMITS } from '../limits.ts';
import { OUTCOME_STATUSES } from '../outcome-status.ts';
import { cutForJson } from '../text/cut.ts';
import { harmlessJson, NOTICE_CHARS } from '../text/harmless.ts';

/** One line per result, all of a turn in one message. `error=` and `result=` are JSON, each on that line. */
export function renderBlocks(answers: readonly Answer[]): RenderedMessage[] {
  return answers.length === 0 ? [] : [{ role: 'user', content: answers.map(lineOf).join('\n') }];
}

function lineOf({ call_id, tool_id, show, outcome: { standing, result, error, metadata } }: Answer): string {
  const json = (value: unknown): string => harmlessJson(value, DIALECT_LIMITS.shownChars + NOTICE_CHARS);
  const parts = [
    `[TOOL_RESULT:${call_id ?? '?'}] status=${OUTCOME_STATUSES[standing].block}`,
    ...(error === null ? [] : [`error=${json(error)}`]),
    ...(result === null || result === undefined
      ? []
      : [`result=${json(cutForJson(tool_id, result, DIALECT_LIMITS.shownChars))}`]),
    ...(show.warnings === undefined ? [] : [`warnings=${json(show.warnings)}`]),
    ...(metadata === undefined ? [] : [`metadata=${json(metadata)}`]),
  ];
  return parts.join(' ');
}
