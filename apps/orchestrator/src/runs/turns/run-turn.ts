// SPDX-License-Identifier: Apache-2.0
//
// A turn consists of its calls; nothing else of it is stored. INVARIANT (no bypass): each call is proposed, decided,
// run and recorded like a single call.
import { touchesOf } from '@writ/agent-loop';
import { AGENT_SPAWN, Fault, isFinal, type Caller } from '@writ/contract';
import {
  isSequential,
  parse,
  render,
  type DialectCall,
  type Outcome,
  type Parsed,
  type Problem,
  type RenderedMessage,
} from '@writ/dialects';
import type { RateLimit } from '../../edge/access/rate-limit.ts';
import type { TurnView } from './turn-schemas.ts';
import type { Step } from '../../calls/in-order.ts';
import type { ProposeInOrder } from '../../calls/propose-in-order.ts';
import type { WaitOptions } from '../../calls/propose.ts';
import { receiptHref, type ShowOperation } from '../../calls/show-operation.ts';
import { callResultOf, type TurnContext, type CallResult, type StagedChanges } from './staged-changes.ts';
import { callOf, keyOf, type PostedTurn } from './turn-call.ts';
import type { Answered } from './read-turn.ts';
import type { TurnSubAgents } from './turn-sub-agents.ts';
import { READ_TURN, RENDER_TURN } from './turn-tasks.ts';
import { runWritten, type CallMaker } from './written-call.ts';
import type { WorkerTasks } from '../../edge/work/worker-tasks.ts';

/** Bytes of stored results in one response; further results are given by their path. */
const RESULTS_BYTES_MAX = 4 * 1024 * 1024;

/** An output up to this length is read on the event loop: the worst one takes less than five milliseconds. */
const INLINE_CHARS = 4 * 1024;

/** Results up to this length are rendered on the event loop, for the same reason. */
const RENDERED_INLINE_CHARS = 8 * 1024;

/** The dependencies of turns. */
interface TurnDependencies {
  readonly order: ProposeInOrder;
  readonly staged: StagedChanges;
  readonly subAgents: TurnSubAgents;
  readonly show: ShowOperation;
  readonly rate: RateLimit;
  readonly tasks: WorkerTasks;
}

/** Parses one output of a model, runs its calls, and renders the results in its dialect. */
export class RunTurn {
  readonly #order: ProposeInOrder;
  readonly #staged: StagedChanges;
  readonly #subAgents: TurnSubAgents;
  readonly #show: ShowOperation;
  readonly #rate: RateLimit;
  readonly #tasks: WorkerTasks;

  constructor({ order, staged, subAgents, show, rate, tasks }: TurnDependencies) {
    this.#order = order;
    this.#staged = staged;
    this.#subAgents = subAgents;
    this.#show = show;
    this.#rate = rate;
    this.#tasks = tasks;
  }

  /**
   * Runs the turn for up to `waitOptions.waitMs`. If it is posted again, it continues where it stopped. Faults:
   * `conflict` where the turn was posted before with another output, `limit.exceeded` for one that can't be parsed
   * within its budget, and faults of a proposal that no single call caused; the client then posts the turn again.
   */
  async run(caller: Caller, turn: PostedTurn, waitOptions: WaitOptions): Promise<TurnView> {
    const parsed = await this.#read(caller, turn);
    this.#rate.charge(caller, Math.max(0, callsIn(parsed) - 1));
    const tokens = (until: number): string[] =>
      parsed.calls.slice(0, until).flatMap(({ mode, args }) => (mode === 'apply' ? [String(args['token'])] : []));
    const steps = parsed.calls.map((call, index) => this.#step({ caller, turn, waitOptions }, call, tokens(index)));
    const results = await this.#order.runSteps(
      steps,
      isSequential(turn.dialect) ? 'sequence' : 'disjoint',
      waitOptions,
    );
    results.forEach((each, index) => {
      refuseOtherOutput(each, parsed.calls[index], turn);
    });
    return await this.#viewOf(caller, turn, parsed, results);
  }

  /** Parses a long output in a worker thread, because its author controls how long that takes. */
  async #read({ tenant_id }: Caller, { dialect, output }: PostedTurn): Promise<Parsed> {
    return output.length > INLINE_CHARS
      ? await this.#tasks.run(READ_TURN, tenant_id, { dialect, output })
      : parse(dialect, output);
  }

  /** Renders the messages for the model, in a worker thread if results are long. */
  async #render({ tenant_id }: Caller, answered: Answered): Promise<RenderedMessage[]> {
    if (areLong(answered.outcomes)) return await this.#tasks.run(RENDER_TURN, tenant_id, answered);
    return render(answered.dialect, answered.output, answered.outcomes);
  }

  #step(context: TurnContext, call: DialectCall, earlier: readonly string[]): Step<CallResult> {
    return {
      touches: call.mode === 'run' ? touchesOf(call) : null,
      begin: async (waitMs) => {
        const came = await this.#begin({ ...context, waitOptions: { ...context.waitOptions, waitMs } }, call, earlier);
        return { result: came, isOver: isOver(came) };
      },
    };
  }

  async #begin(context: TurnContext, call: DialectCall, earlier: readonly string[]): Promise<CallResult> {
    const { caller, turn, waitOptions } = context;
    if (call.mode === 'stage') return await this.#staged.stage(context, call);
    if (call.mode === 'apply') return await this.#staged.apply(context, call, earlier);
    const proposeOne: CallMaker['propose'] = async (each, part) =>
      callResultOf(
        await this.#order.proposeOne(
          caller,
          callOf(turn, caller, { ...each, key: keyOf(turn, call.id, part) }),
          waitOptions,
        ),
      );
    return await runWritten(turn.dialect, call, {
      propose: async (each, part) =>
        each.tool_id === AGENT_SPAWN.tool_id
          ? await this.#subAgents.run(context, { ...call, ...each })
          : await proposeOne(each, part),
      resultOf: async ({ result }) => (result === null ? null : (await this.#show.result(caller, result)).result),
    });
  }

  async #viewOf(
    caller: Caller,
    turn: PostedTurn,
    parsed: Parsed,
    came: readonly (CallResult | null)[],
  ): Promise<TurnView> {
    const { text, stop, problems } = parsed;
    const outcomes = new Map<string, Outcome>();
    let left = RESULTS_BYTES_MAX;
    for (const [index, each] of came.entries()) {
      const call = parsed.calls[index];
      if (each === null || call === undefined) continue;
      outcomes.set(call.id, await this.#outcome(caller, each, left));
      left -= each.resultToShow?.result_ref?.size ?? 0;
    }
    const reported = new Set(turn.told);
    const unreported = {
      calls: parsed.calls.filter(({ id }) => !reported.has(id)),
      problems:
        turn.told === undefined
          ? problems
          : problems.filter(({ call_id }) => call_id !== null && !reported.has(call_id)),
    };
    return {
      turn_id: turn.turn_id,
      session_id: turn.session_id,
      dialect: turn.dialect,
      state: stateOf(came),
      text,
      stop,
      problems: [...problems, ...parsed.calls.flatMap(warningsOf)].map(({ level, message, call_id, name, at }) => ({
        level,
        message,
        call_id,
        name,
        at,
      })),
      calls: parsed.calls.map((call, index) => viewOf(call, came[index] ?? null, outcomes.get(call.id))),
      messages: await this.#render(caller, { dialect: turn.dialect, output: unreported, outcomes }),
    };
  }

  /** Inlines the result if the response has room for it. */
  async #outcome(caller: Caller, { outcome, resultToShow }: CallResult, left: number): Promise<Outcome> {
    if (resultToShow === null) return outcome;
    if ((resultToShow.result_ref?.size ?? 0) > left)
      return {
        ...outcome,
        result: {
          cut: `the results of this turn are too long together: this one is at /v1/operations/${resultToShow.operation_id}`,
        },
      };
    return { ...outcome, result: (await this.#show.result(caller, resultToShow)).result };
  }
}

/** The calls of a turn, with those that get the values of their variables. */
const callsIn = ({ calls }: Parsed): number => calls.reduce((sum, { variables = [] }) => sum + 1 + variables.length, 0);

/** Whether the results of a turn are long. It stops reading them as soon as the limit is exceeded. */
function areLong(outcomes: ReadonlyMap<string, Outcome>): boolean {
  let left = RENDERED_INLINE_CHARS;
  for (const { result, metadata } of outcomes.values()) {
    left -= JSON.stringify([result, metadata]).length;
    if (left < 0) return true;
  }
  return false;
}

/** Throws if a key of this turn belongs to another call, because the turn then had another output. */
function refuseOtherOutput(came: CallResult | null, call: DialectCall | undefined, { turn_id }: PostedTurn): void {
  if (came?.outcome.error?.code !== 'idempotency.mismatch') return;
  throw new Fault(
    'conflict',
    `the turn \`${turn_id}\` was posted before with another output: call \`${call?.id ?? ''}\` was another one. Give each output a \`turn_id\` of its own`,
  );
}

/** Whether nothing of the call is held or at work any more. */
const isOver = ({ view, isUnderWay }: CallResult): boolean =>
  isUnderWay !== true && (view === null || isFinal(view.state));

function stateOf(came: readonly (CallResult | null)[]): TurnView['state'] {
  if (came.some((each) => each !== null && each.view?.state !== 'held' && !isOver(each))) return 'under_way';
  if (came.some((each) => each?.view?.state === 'held')) return 'held';
  return came.includes(null) ? 'under_way' : 'ended';
}

/** The warnings that stand in the result of a call, for the client. */
const warningsOf = ({ id, name, at, show: { warnings = [] } }: DialectCall): Problem[] =>
  warnings.map((message) => ({ level: 'warning', message, call_id: id, name, at }));

function viewOf(call: DialectCall, came: CallResult | null, outcome: Outcome | undefined): TurnView['calls'][number] {
  const view = came?.view ?? null;
  const { tool_id, args } = came?.appliedCall ?? call;
  return {
    call_id: call.id,
    name: call.name,
    tool_id,
    args,
    mode: call.mode,
    standing: outcome?.standing ?? 'queued',
    error: outcome?.error
      ? { code: outcome.error.code, message: outcome.error.message, hint: outcome.error.hint ?? null }
      : null,
    operation_id: view?.operation_id ?? null,
    state: view?.state ?? null,
    approval_id: view?.approval_id ?? null,
    replayed: view?.replayed ?? false,
    receipt: view?.result?.receipt ? { ...view.result.receipt, href: receiptHref(view.operation_id) } : null,
  };
}
