// SPDX-License-Identifier: Apache-2.0
import type { Message, ModelCall, ModelTurn, ModelUsage } from './model.ts';
import type { ModelFault } from './model-error.ts';
import type { HeldCall, RunEvent, ToolAnswer } from './run-event.ts';

export interface CallState {
  readonly call: ModelCall;
  readonly held: HeldCall | null;
  readonly answer: ToolAnswer | null;
}

export interface RoundState {
  readonly turn: ModelTurn;
  readonly calls: readonly CallState[];
  /** the model's reply when it was told about a held call (its calls never run), and the state of the calls then */
  readonly explained: { readonly turn: ModelTurn; readonly calls: readonly CallState[] } | null;
}

/** The state of a run, folded from its events. */
export interface RunState {
  /** the conversation before the run; its last message is the task. Empty once a summary replaces it */
  readonly base: readonly Message[];
  readonly rounds: readonly RoundState[];
  /** the summary replaces the base and the rounds up to this one; of those rounds only the success is kept */
  readonly compacted: { readonly until: number; readonly summary: string } | null;
  /** sum over all replies */
  readonly usage: ModelUsage;
  /** sum over all sub-agents, in tokens and in millionths of a currency */
  readonly below: { readonly tokens: number; readonly cost: number };
  readonly ended:
    | { readonly stopped: 'cancelled'; readonly by: string }
    | { readonly stopped: 'model_failed'; readonly fault: ModelFault; readonly message: string }
    | null;
}

const NO_USAGE: ModelUsage = { input_tokens: 0, cached_tokens: 0, output_tokens: 0 };

/** A run without events. */
export const newRun = (base: readonly Message[]): RunState => ({
  base,
  rounds: [],
  compacted: null,
  usage: NO_USAGE,
  below: { tokens: 0, cost: 0 },
  ended: null,
});

/** A run after these events, in this order. */
export const foldRun = (base: readonly Message[], events: readonly RunEvent[]): RunState =>
  events.reduce(applyEvent, newRun(base));

/**
 * The state after one more event.
 *
 * @throws Error for an event that can't follow: its writer had another state
 */
export function applyEvent(state: RunState, event: RunEvent): RunState {
  if (state.ended !== null) throw new Error(`\`${event.kind}\` after the run ended as ${state.ended.stopped}`);
  switch (event.kind) {
    case 'replied':
      return { ...state, usage: sum(state.usage, event.turn.usage), rounds: [...state.rounds, newRound(event.turn)] };
    case 'explained':
      return updateRound({ ...state, usage: sum(state.usage, event.turn.usage) }, event.round, (round) => ({
        ...round,
        explained: { turn: event.turn, calls: round.calls },
      }));
    case 'answered':
      return updateCall({ ...state, below: withBelow(state.below, event.answer) }, event, (call) => ({
        ...call,
        held: null,
        answer: event.answer,
      }));
    case 'held':
      return updateCall(state, event, (call) => ({ ...call, held: event.held }));
    case 'resumed':
      return updateRound(state, state.rounds.length, (round) => ({
        ...round,
        calls: round.calls.map((call) => ({ ...call, held: null })),
      }));
    case 'compacted':
      return {
        ...state,
        base: [],
        rounds: state.rounds.map((round, n) => (n < event.until ? summarised(round) : round)),
        usage: sum(state.usage, event.usage),
        compacted: { until: event.until, summary: event.summary },
      };
    case 'model_failed':
      return { ...state, ended: { stopped: 'model_failed', fault: event.fault, message: event.message } };
    case 'cancelled':
      return { ...state, ended: { stopped: 'cancelled', by: event.by } };
  }
}

/** A call that can't run is answered at once: no step waits for it. */
function newRound(turn: ModelTurn): RoundState {
  const seen = new Set<string>();
  const calls = turn.calls.map((call): CallState => {
    const problem =
      call.problem ??
      (seen.has(call.id)
        ? `the id \`${call.id}\` was used before in the same reply: the first call with it counts`
        : null);
    // A malformed call doesn't claim its id: a valid one with the same id may.
    if (call.problem === undefined) seen.add(call.id);
    return {
      call,
      held: null,
      answer: problem === null ? null : { text: problem, standing: 'failed', is_error: true },
    };
  });
  return { turn, calls, explained: null };
}

/**
 * The parts of a summarised round that rules still need: whether it had calls, and whether they failed. INVARIANT
 * (flat): a run keeps the content of only those rounds that its model sees, however many there were.
 */
function summarised({ turn, calls }: RoundState): RoundState {
  return {
    turn: {
      text: '',
      calls: [],
      stop: turn.stop,
      ...(turn.problems === undefined ? {} : { problems: turn.problems.map(() => '') }),
    },
    explained: null,
    calls: calls.map(({ call: { id, tool_id }, answer }) => ({
      call: { id, tool_id, args: {} },
      held: null,
      answer: answer === null ? null : { text: '', standing: answer.standing, is_error: answer.is_error },
    })),
  };
}

function updateRound(state: RunState, round: number, change: (round: RoundState) => RoundState): RunState {
  const last = state.rounds.at(-1);
  if (last === undefined || round !== state.rounds.length) throw new Error(`round ${round} isn't the one at hand`);
  return { ...state, rounds: [...state.rounds.slice(0, -1), change(last)] };
}

function updateCall(
  state: RunState,
  at: { readonly round: number; readonly index: number },
  change: (call: CallState) => CallState,
): RunState {
  return updateRound(state, at.round, (round) => {
    const call = round.calls[at.index];
    if (call === undefined || call.answer !== null)
      throw new Error(`call ${at.index} of round ${at.round} doesn't wait for an answer`);
    return { ...round, calls: round.calls.with(at.index, change(call)) };
  });
}

const withBelow = ({ tokens, cost }: RunState['below'], { below }: ToolAnswer): RunState['below'] =>
  below === undefined ? { tokens, cost } : { tokens: tokens + below.tokens, cost: cost + below.cost };

const sum = (usage: ModelUsage, more: ModelUsage | undefined): ModelUsage =>
  more === undefined
    ? usage
    : {
        input_tokens: usage.input_tokens + more.input_tokens,
        cached_tokens: usage.cached_tokens + more.cached_tokens,
        output_tokens: usage.output_tokens + more.output_tokens,
      };
