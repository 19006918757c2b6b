// SPDX-License-Identifier: Apache-2.0
import { PIVOT_GUIDANCE } from '@writ/dialects';
import type { Message, ModelCall } from './model.ts';
import type { ToolAnswer } from './run-event.ts';
import {
  COMPACT_PROMPT,
  LIMIT_TEXT,
  repairText,
  ROUNDS_KEPT,
  summaryText,
  UNRUN_TEXT,
  type RunRules,
} from './run-rules.ts';
import type { CallState, RoundState, RunState } from './run-state.ts';

/**
 * The messages for the model's next request: the base, then each round with its answers in the order of its calls and
 * the notes of the loop.
 */
export function messagesOf(state: RunState, rules: Pick<RunRules, 'pivot_after'>): Message[] {
  const until = state.compacted?.until ?? 0;
  const before: readonly Message[] =
    state.compacted === null ? state.base : [{ role: 'user', text: summaryText(state.compacted.summary) }];
  return [
    ...before,
    ...state.rounds.flatMap((round, n) => (n < until ? [] : roundMessages(round, failuresInRow(state, n), rules))),
  ];
}

/** The messages of a run that reached its limit. */
export const endedByLimit = (messages: readonly Message[]): Message[] => [
  ...messages,
  { role: 'assistant', text: LIMIT_TEXT, calls: [] },
];

function roundMessages(
  { turn, calls, explained }: RoundState,
  failures: number,
  { pivot_after }: Pick<RunRules, 'pivot_after'>,
): Message[] {
  const problems = turn.problems ?? [];
  const isMalformed = calls.length === 0 && problems.length > 0;
  return [
    {
      role: 'assistant',
      text: turn.text,
      calls: turn.calls,
      ...(turn.native === undefined ? {} : { native: turn.native }),
      ...(turn.written === undefined ? {} : { written: turn.written }),
    },
    ...(explained === null
      ? calls.flatMap(answerMessages)
      : [
          ...explained.calls.map(pendingMessage),
          ...(explained.turn.text === '' ? [] : [{ role: 'assistant', text: explained.turn.text, calls: [] } as const]),
          ...(explained.turn.calls.length === 0 ? [] : [user(UNRUN_TEXT)]),
          ...calls.flatMap((call, n) => (explained.calls[n]?.answer === null ? answerMessages(call) : [])),
        ]),
    ...(isMalformed ? [user(repairText(problems))] : problems.map((problem) => user(`Note: ${problem}`))),
    ...(turn.notes ?? []).map((note) => user(`Note: ${note}`)),
    ...(pivot_after !== null && failures > 0 && failures % pivot_after === 0 ? [user(PIVOT_GUIDANCE)] : []),
  ];
}

const user = (text: string): Message => ({ role: 'user', text });

const answerMessages = ({ call, answer }: CallState): Message[] =>
  answer === null ? [] : [{ ...toolMessage(call), ...answerFields(answer) }];
const answerFields = ({ below: _used, ...answer }: ToolAnswer): Omit<ToolAnswer, 'below'> => answer;

const toolMessage = ({ id, tool_id, name, show }: ModelCall) =>
  ({
    role: 'tool',
    call_id: id,
    tool_id,
    ...(name === undefined ? {} : { name }),
    ...(show === undefined ? {} : { show }),
  }) as const;

/** The message for a call without an answer while others are explained. A later decision is a message of its own. */
function pendingMessage({ call, held, answer }: CallState): Message {
  const of = toolMessage(call);
  if (answer !== null) return { ...of, ...answerFields(answer) };
  if (held !== null) return { ...of, text: held.text, standing: 'held', is_error: false };
  return { ...of, text: 'waits for the calls before it', standing: 'queued', is_error: false };
}

/** How many consecutive rounds, up to this one, had calls and only failed ones. */
function failuresInRow({ rounds }: RunState, upTo: number): number {
  let n = upTo;
  while (n >= 0 && hasFailed(rounds[n])) n--;
  return upTo - n;
}

const hasFailed = (round: RoundState | undefined): boolean =>
  round !== undefined && round.calls.length > 0 && round.calls.every(({ answer }) => answer?.is_error === true);

/** Estimated characters per token. It only decides when to summarise; a provider's own count takes precedence. */
const TOKEN_CHARS = 4;
const tokensIn = (messages: readonly Message[]): number => Math.ceil(JSON.stringify(messages).length / TOKEN_CHARS);

/**
 * Estimated tokens of the model's next request: the provider's count of the last request and reply, and an estimate of
 * the messages since.
 */
export function contextTokens(state: RunState, rules: Pick<RunRules, 'pivot_after'>): number {
  const last = state.rounds.at(-1);
  const usage = last?.turn.usage;
  if (last === undefined || usage === undefined || state.compacted?.until === state.rounds.length - ROUNDS_KEPT)
    return tokensIn(messagesOf(state, rules));
  return usage.input_tokens + usage.output_tokens + tokensIn(last.calls.flatMap(answerMessages));
}

/** The messages for a request to summarise: everything up to a round, as the model saw it. */
export function messagesUntil(state: RunState, until: number, rules: Pick<RunRules, 'pivot_after'>): Message[] {
  return [...messagesOf({ ...state, rounds: state.rounds.slice(0, until) }, rules), user(COMPACT_PROMPT)];
}
