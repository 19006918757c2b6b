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
  /**
   * what the model said when it was told that a call is held (its calls never run), and the calls as they stood then
   */
  readonly explained: { readonly turn: ModelTurn; readonly calls: readonly CallState[] } | null;
}

/** A run as its events made it. */
export interface RunState {
  /** the conversation that the run goes on with; its last message is the task. Empty once a summary tells it */
  readonly base: readonly Message[];
  readonly rounds: readonly RoundState[];
  /** rounds up to this one, and the base, are told by the summary: of those rounds it is only known how they went */
  readonly compacted: { readonly until: number; readonly summary: string } | null;
  /** of all replies */
  readonly usage: ModelUsage;
  /** of all sub-agents, in tokens and in millionths of a currency */
  readonly below: { readonly tokens: number; readonly cost: number };
  readonly ended:
    | { readonly stopped: 'cancelled'; readonly by: string }
    | { readonly stopped: 'model_failed'; readonly fault: ModelFault; readonly message: string }
    | null;
}

const NO_USAGE: ModelUsage = { input_tokens: 0, cached_tokens: 0, output_tokens: 0 };

/** A run of which nothing has happened. */
export const newRun = (base: readonly Message[]): RunState => ({
  base,
  rounds: [],
  compacted: null,
  usage: NO_USAGE,
  below: { tokens: 0, cost: 0 },
  ended: null,
});

/** A run of which all this has happened, in this order. */
export const foldRun = (base: readonly Message[], events: readonly RunEvent[]): RunState =>
  events.reduce(applyEvent, newRun(base));

/**
 * The state after one more event.
 *
 * @throws Error for an event that can't follow: whoever wrote it didn't have this state before them
 */
export function applyEvent(state: RunState, event: RunEvent): RunState {
  if (state.ended !== null) throw new Error(`\`${event.kind}\` after the run ended as ${state.ended.stopped}`);
  switch (event.kind) {
    case 'replied':
      return { ...state, usage: sum(state.usage, event.turn.usage), rounds: [...state.rounds, newRound(event.turn)] };
    case 'explained':
      return inRound({ ...state, usage: sum(state.usage, event.turn.usage) }, event.round, (round) => ({
        ...round,
        explained: { turn: event.turn, calls: round.calls },
      }));
    case 'answered':
      return inCall({ ...state, below: withBelow(state.below, event.answer) }, event, (call) => ({
        ...call,
        held: null,
        answer: event.answer,
      }));
    case 'held':
      return inCall(state, event, (call) => ({ ...call, held: event.held }));
    case 'resumed':
      return inRound(state, state.rounds.length, (round) => ({
        ...round,
        calls: round.calls.map((call) => ({ ...call, held: null })),
      }));
    case 'compacted':
      return {
        ...state,
        base: [],
        rounds: state.rounds.map((round, n) => (n < event.until ? hollow(round) : round)),
        usage: sum(state.usage, event.usage),
        compacted: { until: event.until, summary: event.summary },
      };
    case 'model_failed':
      return { ...state, ended: { stopped: 'model_failed', fault: event.fault, message: event.message } };
    case 'cancelled':
      return { ...state, ended: { stopped: 'cancelled', by: event.by } };
  }
}

/** What can't be run is answered as it is read: nothing of it waits for anything. */
function newRound(turn: ModelTurn): RoundState {
  const seen = new Set<string>();
  const calls = turn.calls.map((call): CallState => {
    const problem =
      call.problem ??
      (seen.has(call.id)
        ? `the id \`${call.id}\` was used before in the same reply: the first call with it counts`
        : null);
    // What is no call leaves its id to the call that has it.
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
 * What rules still ask of a round that nobody is told any more: whether it had calls, and how those ended. INVARIANT
 * (flat): a run holds the rounds that its model sees, however many there were.
 */
function hollow({ turn, calls }: RoundState): RoundState {
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

function inRound(state: RunState, round: number, change: (round: RoundState) => RoundState): RunState {
  const last = state.rounds.at(-1);
  if (last === undefined || round !== state.rounds.length) throw new Error(`round ${round} isn't the one at hand`);
  return { ...state, rounds: [...state.rounds.slice(0, -1), change(last)] };
}

function inCall(
  state: RunState,
  at: { readonly round: number; readonly index: number },
  change: (call: CallState) => CallState,
): RunState {
  return inRound(state, at.round, (round) => {
    const call = round.calls[at.index];
    if (call === undefined || call.answer !== null)
      throw new Error(`call ${at.index} of round ${at.round} doesn't wait for an answer`);
    return { ...round, calls: round.calls.with(at.index, change(call)) };
  });
}

const withBelow = ({ tokens, cost }: RunState['below'], { below }: ToolAnswer): RunState['below'] =>
  below === undefined ? { tokens, cost } : { tokens: tokens + below.tokens, cost: cost + below.cost };

const sum = (so: ModelUsage, more: ModelUsage | undefined): ModelUsage =>
  more === undefined
    ? so
    : {
        input_tokens: so.input_tokens + more.input_tokens,
        cached_tokens: so.cached_tokens + more.cached_tokens,
        output_tokens: so.output_tokens + more.output_tokens,
      };
