// SPDX-License-Identifier: Apache-2.0
import { contextTokens } from './conversation.ts';
import type { ModelCall } from './model.ts';
import { readyOf } from './ready-calls.ts';
import { ROUNDS_KEPT, type RunRules } from './run-rules.ts';
import type { RoundState, RunState } from './run-state.ts';
import { isSpent } from './spending.ts';
import type { Touch } from './touches.ts';

/** Why a run ended. `end`: the model was done. `limit`: the last allowed round still had calls. */
export type Stopped = 'end' | 'limit' | 'length' | 'refusal' | 'malformed' | 'budget' | 'cancelled' | 'model_failed';

export type Step =
  | { readonly kind: 'ask'; readonly round: number }
  /** tell the model which calls are held; its reply runs no calls */
  | { readonly kind: 'explain'; readonly round: number }
  /** run these calls of the round concurrently */
  | { readonly kind: 'call'; readonly round: number; readonly indexes: readonly number[] }
  /** nothing to do until a running call has ended */
  | { readonly kind: 'busy' }
  /** nothing to do until a person decides */
  | { readonly kind: 'wait' }
  /** summarise the rounds up to this one */
  | { readonly kind: 'compact'; readonly until: number }
  | { readonly kind: 'end'; readonly stopped: Stopped };

export interface StepOptions {
  readonly rules: RunRules;
  /** which calls of the last round run now */
  readonly running: ReadonlySet<number>;
  /** null if unknown: such a call runs alone */
  readonly touchesOf: (call: ModelCall) => readonly Touch[] | null;
}

/** Decides the next step from a run's state. A pure function, so the events determine every decision of the loop. */
export function nextStep(state: RunState, options: StepOptions): Step {
  if (state.ended !== null) return { kind: 'end', stopped: state.ended.stopped };
  const last = state.rounds.at(-1);
  if (last === undefined) return modelStep(state, options.rules);
  const { stop } = last.turn;
  if (stop === 'length' || stop === 'refusal') return { kind: 'end', stopped: stop };
  if (last.calls.length === 0) return afterReplyWithoutCalls(state, last, options.rules);
  return last.calls.every(({ answer }) => answer !== null)
    ? modelStep(state, options.rules)
    : callStep(state.rounds.length, last, options);
}

/** A reply without calls ends the run, unless its envelope can't be parsed: then the model may repair it. */
function afterReplyWithoutCalls(state: RunState, { turn }: RoundState, rules: RunRules): Step {
  if ((turn.problems ?? []).length === 0) return { kind: 'end', stopped: 'end' };
  return malformedInRow(state) > rules.repairs_max ? { kind: 'end', stopped: 'malformed' } : modelStep(state, rules);
}

function malformedInRow({ rounds }: RunState): number {
  const readable = rounds.findLastIndex(({ turn, calls }) => calls.length > 0 || (turn.problems ?? []).length === 0);
  return rounds.length - 1 - readable;
}

function modelStep(state: RunState, rules: RunRules): Step {
  if (state.rounds.length >= rules.rounds_max) return { kind: 'end', stopped: 'limit' };
  if (isSpent(state, rules)) return { kind: 'end', stopped: 'budget' };
  const until = state.rounds.length - ROUNDS_KEPT;
  const canCompact = until > (state.compacted?.until ?? 0);
  if (canCompact && rules.context_tokens_max !== null && contextTokens(state, rules) > rules.context_tokens_max)
    return { kind: 'compact', until };
  return { kind: 'ask', round: state.rounds.length + 1 };
}

function callStep(round: number, last: RoundState, { rules, running, touchesOf }: StepOptions): Step {
  const ready = readyCalls(last, rules.order, running, touchesOf);
  if (ready.length > 0) return { kind: 'call', round, indexes: ready };
  if (running.size > 0) return { kind: 'busy' };
  // The model is told about a call that waits for a person; a sub-agent ends by itself.
  const isForPerson = last.calls.some(({ held }) => held !== null && held.waits_for !== 'run');
  if (rules.on_held === 'explain' && isForPerson && last.explained === null) return { kind: 'explain', round };
  return { kind: 'wait' };
}

function readyCalls(
  { calls }: RoundState,
  order: RunRules['order'],
  running: ReadonlySet<number>,
  touchesOf: StepOptions['touchesOf'],
): number[] {
  return readyOf(
    calls.map(({ call, held, answer }, index) => {
      if (answer !== null) return { stands: 'ended' };
      return { stands: held !== null || running.has(index) ? 'open' : 'waits', touches: touchesOf(call) };
    }),
    order,
  );
}
