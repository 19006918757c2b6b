// SPDX-License-Identifier: Apache-2.0
//
// A turn is its calls: nothing is kept of it. INVARIANT (no bypass): each call is proposed as one that came by itself,
// and decided, run and recorded as such.
import { touchesOf } from '@writ/agent-loop';
import { Fault, isFinal, type Caller } from '@writ/contract';
import {
  isSequential,
  parse,
  render,
  type DialectCall,
  type Outcome,
  type Parsed,
  type RenderedMessage,
} from '@writ/dialects';
import type { RateLimit } from '../../edge/access/rate-limit.ts';
import type { TurnView } from './turn-schemas.ts';
import type { Step } from '../../calls/in-order.ts';
import type { ProposeInOrder } from '../../calls/propose-in-order.ts';
import type { WaitOptions } from '../../calls/propose.ts';
import { receiptHref, type ShowOperation } from '../../calls/show-operation.ts';
import { cameOf, type Asking, type Came, type StagedChanges } from './staged-changes.ts';
import { callOf, keyOf, type PostedTurn } from './turn-call.ts';
import type { Answered } from './read-turn.ts';
import { READ_TURN, RENDER_TURN } from './tasks.ts';
import type { WorkerTasks } from '../../edge/work/worker-tasks.ts';

/** Bytes of stored results that one answer tells; what comes after them is told by where it is. */
const RESULTS_BYTES_MAX = 4 * 1024 * 1024;

/** An output up to this length is read on the event loop: the worst one takes less than five milliseconds. */
const INLINE_CHARS = 4 * 1024;

/** Results up to this length are rendered on the event loop, for the same reason. */
const RENDERED_INLINE_CHARS = 8 * 1024;

/** What turns need. */
interface TurnsWith {
  readonly order: ProposeInOrder;
  readonly staged: StagedChanges;
  readonly show: ShowOperation;
  readonly rate: RateLimit;
  readonly tasks: WorkerTasks;
}

/** One output of a model: read, its calls run, and the answer in the words of its dialect. */
export class RunTurn {
  readonly #order: ProposeInOrder;
  readonly #staged: StagedChanges;
  readonly #show: ShowOperation;
  readonly #rate: RateLimit;
  readonly #tasks: WorkerTasks;

  constructor({ order, staged, show, rate, tasks }: TurnsWith) {
    this.#order = order;
    this.#staged = staged;
    this.#show = show;
    this.#rate = rate;
    this.#tasks = tasks;
  }

  /**
   * The turn as far as it comes within `waitOptions.waitMs`. Posted again it goes on from there. Faults: `conflict`
   * where the turn was posted before with another output, `limit.exceeded` for one that can't be read within its
   * budget, and those of a proposal that aren't of one call: then the turn is posted again.
   */
  async run(caller: Caller, turn: PostedTurn, waitOptions: WaitOptions): Promise<TurnView> {
    const parsed = await this.#read(caller, turn);
    this.#rate.charge(caller.tenant_id, Math.max(0, parsed.calls.length - 1));
    const tokens = (until: number): string[] =>
      parsed.calls.slice(0, until).flatMap(({ mode, args }) => (mode === 'apply' ? [String(args['token'])] : []));
    const steps = parsed.calls.map((call, index) => this.#step({ caller, turn, waitOptions }, call, tokens(index)));
    const came = await this.#order.steps(steps, isSequential(turn.dialect) ? 'sequence' : 'disjoint', waitOptions);
    came.forEach((each, index) => {
      refuseAnother(each, parsed.calls[index], turn);
    });
    return await this.#told(caller, turn, parsed, came);
  }

  /** A long output is read in a worker thread: how long that takes is up to who wrote it. */
  async #read({ tenant_id }: Caller, { dialect, output }: PostedTurn): Promise<Parsed> {
    return output.length > INLINE_CHARS
      ? await this.#tasks.run(READ_TURN, tenant_id, { dialect, output })
      : parse(dialect, output);
  }

  /** What the model is told of it, in a worker thread where results are long. */
  async #render({ tenant_id }: Caller, answered: Answered): Promise<RenderedMessage[]> {
    if (areLong(answered.outcomes)) return await this.#tasks.run(RENDER_TURN, tenant_id, answered);
    return render(answered.dialect, answered.output, answered.outcomes);
  }

  #step(asking: Asking, call: DialectCall, earlier: readonly string[]): Step<Came> {
    return {
      touches: call.mode === 'run' ? touchesOf(call) : null,
      begin: async (waitMs) => {
        const came = await this.#begin({ ...asking, waitOptions: { ...asking.waitOptions, waitMs } }, call, earlier);
        return { came, isOver: came.view === null || isFinal(came.view.state) };
      },
    };
  }

  async #begin(asking: Asking, call: DialectCall, earlier: readonly string[]): Promise<Came> {
    const { caller, turn, waitOptions } = asking;
    if (call.mode === 'stage') return await this.#staged.stage(asking, call);
    if (call.mode === 'apply') return await this.#staged.apply(asking, call, earlier);
    return cameOf(
      await this.#order.one(caller, callOf(turn, caller, { ...call, key: keyOf(turn, call.id) }), waitOptions),
    );
  }

  async #told(caller: Caller, turn: PostedTurn, parsed: Parsed, came: readonly (Came | null)[]): Promise<TurnView> {
    const { text, stop, problems } = parsed;
    const outcomes = new Map<string, Outcome>();
    let left = RESULTS_BYTES_MAX;
    for (const [index, each] of came.entries()) {
      const call = parsed.calls[index];
      if (each === null || call === undefined) continue;
      outcomes.set(call.id, await this.#outcome(caller, each, left));
      left -= each.shows?.result_ref?.size ?? 0;
    }
    const told = new Set(turn.told);
    const untold = {
      calls: parsed.calls.filter(({ id }) => !told.has(id)),
      problems:
        turn.told === undefined ? problems : problems.filter(({ call_id }) => call_id !== null && !told.has(call_id)),
    };
    return {
      turn_id: turn.turn_id,
      session_id: turn.session_id,
      dialect: turn.dialect,
      state: stateOf(came),
      text,
      stop,
      problems: problems.map(({ level, message, call_id, name, at }) => ({ level, message, call_id, name, at })),
      calls: parsed.calls.map((call, index) => viewOf(call, came[index] ?? null, outcomes.get(call.id))),
      messages: await this.#render(caller, { dialect: turn.dialect, output: untold, outcomes }),
    };
  }

  /** With the result itself, where there is room for it. */
  async #outcome(caller: Caller, { outcome, shows }: Came, left: number): Promise<Outcome> {
    if (shows === null) return outcome;
    if ((shows.result_ref?.size ?? 0) > left)
      return {
        ...outcome,
        result: {
          cut: `the results of this turn are too long together: this one is at /v1/operations/${shows.operation_id}`,
        },
      };
    return { ...outcome, result: (await this.#show.result(caller, shows)).result };
  }
}

/** Whether the results of a turn are long; looks at no more of them than it takes to say so. */
function areLong(outcomes: ReadonlyMap<string, Outcome>): boolean {
  let left = RENDERED_INLINE_CHARS;
  for (const { result, metadata } of outcomes.values()) {
    left -= JSON.stringify([result, metadata]).length;
    if (left < 0) return true;
  }
  return false;
}

/** A key of this turn that names another call: then it isn't this turn. */
function refuseAnother(came: Came | null, call: DialectCall | undefined, { turn_id }: PostedTurn): void {
  if (came?.outcome.error?.code !== 'idempotency.mismatch') return;
  throw new Fault(
    'conflict',
    `the turn \`${turn_id}\` was posted before with another output: call \`${call?.id ?? ''}\` was another one. Give each output a \`turn_id\` of its own`,
  );
}

function stateOf(came: readonly (Came | null)[]): TurnView['state'] {
  if (
    came.some((each) => each !== null && each.view !== null && each.view.state !== 'held' && !isFinal(each.view.state))
  )
    return 'under_way';
  if (came.some((each) => each?.view?.state === 'held')) return 'held';
  return came.includes(null) ? 'under_way' : 'ended';
}

function viewOf(call: DialectCall, came: Came | null, outcome: Outcome | undefined): TurnView['calls'][number] {
  const view = came?.view ?? null;
  const { tool_id, args } = came?.means ?? call;
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
