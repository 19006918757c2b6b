// SPDX-License-Identifier: Apache-2.0
import type { Answer, RenderedMessage } from '../dialect.ts';
import { DIALECT_LIMITS } from '../limits.ts';
import { OUTCOME_STATUSES } from '../outcome-status.ts';
import { cutForJson } from '../text/cut.ts';
import { harmlessJson, NOTICE_CHARS } from '../text/harmless.ts';

const isError = ({ outcome }: Answer): boolean => OUTCOME_STATUSES[outcome.standing].is_error;

/** The content of a result, as JSON: its status, and result and error if present. */
function contentOf({ tool_id, outcome: { standing, result, error, metadata } }: Answer): string {
  const content = {
    status: OUTCOME_STATUSES[standing].word,
    ...(error === null ? {} : { error }),
    ...(result === null || result === undefined
      ? {}
      : { result: cutForJson(tool_id, result, DIALECT_LIMITS.shownChars) }),
    ...(metadata === undefined ? {} : { metadata }),
  };
  return harmlessJson(content, DIALECT_LIMITS.shownChars + NOTICE_CHARS);
}

/** A problem of the whole output is sent as text, because providers accept results only by the id of a call. */
const answersWithoutId = (answers: readonly Answer[]): string[] =>
  answers.filter(({ call_id }) => call_id === null).map(contentOf);
const answersWithId = (answers: readonly Answer[]): (Answer & { readonly call_id: string })[] =>
  answers.filter((answer): answer is Answer & { readonly call_id: string } => answer.call_id !== null);

export function renderChat(answers: readonly Answer[]): RenderedMessage[] {
  return [
    ...answersWithId(answers).map((answer) => ({
      role: 'tool',
      tool_call_id: answer.call_id,
      content: contentOf(answer),
    })),
    ...answersWithoutId(answers).map((content) => ({ role: 'user', content })),
  ];
}

export function renderResponses(answers: readonly Answer[]): RenderedMessage[] {
  return [
    ...answersWithId(answers).map((answer) => ({
      type: 'function_call_output',
      call_id: answer.call_id,
      output: contentOf(answer),
    })),
    ...answersWithoutId(answers).map((content) => ({
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: content }],
    })),
  ];
}

export function renderAnthropic(answers: readonly Answer[]): RenderedMessage[] {
  const results = answersWithId(answers).map((answer) => ({
    type: 'tool_result',
    tool_use_id: answer.call_id,
    content: contentOf(answer),
    ...(isError(answer) ? { is_error: true } : {}),
  }));
  const texts = answersWithoutId(answers).map((text) => ({ type: 'text', text }));
  return results.length + texts.length === 0 ? [] : [{ role: 'user', content: [...results, ...texts] }];
}

/** Gemini's ids may be generated here: then the name alone identifies the call. */
const OWN_ID = /^call_[0-9]+$/;

export function renderGemini(answers: readonly Answer[]): RenderedMessage[] {
  const results = answersWithId(answers).map((answer) => ({
    functionResponse: {
      ...(OWN_ID.test(answer.call_id) ? {} : { id: answer.call_id }),
      name: answer.name ?? '',
      response: { [isError(answer) ? 'error' : 'output']: contentOf(answer) },
    },
  }));
  const texts = answersWithoutId(answers).map((text) => ({ text }));
  return results.length + texts.length === 0 ? [] : [{ role: 'user', parts: [...results, ...texts] }];
}
