// SPDX-License-Identifier: Apache-2.0
import { isExecutorLane, LANES, type CallLane, type Lane, type SchedulingClass, type SlotsEvent } from '@writ/contract';
import { Repeated } from '@writ/nest-kit';
import { WakeUp } from '../announcements/wake-up.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';
import type { DispatchedCall, Dispatched } from '../../foundation/database/functions/dispatch.ts';
import type { PermitIssuer } from './permit-issuer.ts';
import { LaneTenants } from './lane-tenants.ts';
import { SessionCalls } from './session-calls.ts';
import type { Assignee, Slots } from './slots.ts';

/** How long a lost wake-up can delay a call. A pass that finds no call writes nothing. */
const TICK_MS = 500;
/**
 * Permits outstanding per free slot: one that is being redeemed and one on its way, so that no slot waits for a
 * message.
 */
const OUTSTANDING_PER_SLOT = 2;

/**
 * How long slots of a lane stay reserved for interactive calls after one of them was seen, in milliseconds: longer than
 * a model or a person thinks between two calls of a session. A lane without interactive calls uses all of its slots.
 */
const INTERACTIVE_MS = 300_000;

export interface DispatcherOptions {
  /** milliseconds within which a permit must be redeemed */
  readonly permitTtlMs: number;
  /** receives errors; the dispatcher continues */
  readonly report: (error: unknown) => void;
  /** monotonic milliseconds */
  readonly now: () => number;
}

/** The state of a lane in this replica. */
interface LaneState {
  running: boolean;
  /** woken since the pass under way began */
  again: boolean;
  /** the last pass left calls waiting, or may have */
  more: boolean;
  /** the tenant served last; the next pass begins after it, or with it if that much of its turn is left */
  position: string;
  turnLeft: number;
  readonly tenants: LaneTenants;
  /** when this replica last saw an interactive call, on the monotonic clock */
  interactiveAt: number;
}

/**
 * Dispatches waiting calls to executors.
 * INVARIANT (durable before it acts): a permit is published only after the COMMIT that made its call `dispatched`. That
 * COMMIT waits for no disk. A permit acts by its redemption, which does wait. If a server that crashed has lost the
 * dispatch, the permit can't be redeemed, and the call is dispatched again.
 * INVARIANT (bounded): a lane has at most twice the free slots outstanding, counted in the database over all replicas.
 * So calls wait where they can be cancelled and shared fairly.
 * INVARIANT (room for others): while another tenant uses a lane, no tenant fills its slots, so the other's call needn't
 * wait for one of them to end. Each tenant's use counts, even if its calls run for long and nothing of it is dispatched
 * meanwhile.
 * INVARIANT (room for interactive calls): while interactive calls come, other calls of all tenants together leave a
 * quarter of a lane's slots free, and at least one of several. So an interactive call needn't wait for background work
 * to end (ADR 0113). The order within a tenant is that of `rankOf` in libs/fairness.
 */
export class Dispatcher extends WakeUp {
  readonly #workers: CrossTenantPool;
  readonly #permitIssuer: PermitIssuer;
  readonly #slots: Slots;
  readonly #options: DispatcherOptions;
  readonly #lanes: ReadonlyMap<Lane, LaneState>;
  readonly #sessions: SessionCalls;
  readonly #passes = new Set<Promise<void>>();
  readonly #ticks: Repeated;
  #stopped = false;

  constructor(workers: CrossTenantPool, permitIssuer: PermitIssuer, slots: Slots, options: DispatcherOptions) {
    super();
    this.#workers = workers;
    this.#permitIssuer = permitIssuer;
    this.#slots = slots;
    this.#options = options;
    this.#lanes = new Map(
      LANES.map((lane) => [
        lane,
        {
          running: false,
          again: false,
          more: false,
          position: '',
          turnLeft: 0,
          tenants: new LaneTenants(options.now),
          interactiveAt: -Infinity,
        },
      ]),
    );
    this.#sessions = new SessionCalls(workers);
    this.#ticks = new Repeated(
      async () => {
        for (const lane of LANES) this.wake(lane);
      },
      TICK_MS,
      options.report,
    );
  }

  start(): void {
    this.#ticks.start();
  }

  /** Begins no new pass; resolves when the passes under way have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#ticks.stop();
    this.#sessions.stop();
    await this.settled();
  }

  /** Resolves when the passes under way have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#passes);
  }

  /**
   * Notes how many calls an executor accepts. It wakes only lanes with calls left over: most such events change
   * nothing.
   */
  slotsReported(event: SlotsEvent): void {
    this.#slots.note(event);
    for (const [lane, state] of this.#lanes) if (state.more && (event[lane] ?? 0) > 0) this.wake(lane);
  }

  /** Without a wake-up, a tenant at its maximum of calls under way now gets its next one dispatched. */
  override slotFreed(lane: CallLane, executorId: string | null): void {
    if (!isExecutorLane(lane)) return;
    if (executorId !== null) this.#slots.slotFreed(lane, executorId);
    if (this.#lanes.get(lane)?.more === true) this.wake(lane);
  }

  /**
   * An executor for a call of the tenant, with one of its slots reserved, and the tenant's maximum of calls under way
   * in the lane. Null where calls take turns: while this replica dispatches in the lane, or has left calls waiting
   * there. Null also for a call that isn't interactive while slots are kept for those that are: only the dispatch
   * counts the calls of all tenants.
   */
  reserveSlot(
    lane: Lane,
    tenantId: string,
    schedulingClass: SchedulingClass,
  ): { readonly to: Assignee; readonly most: number | null } | null {
    const state = this.#lanes.get(lane);
    if (state === undefined) return null;
    this.#noteClass(state, schedulingClass);
    if (this.#stopped || state.running || state.more) return null;
    if (schedulingClass !== 'interactive' && this.#backgroundMost(lane, state) !== null) return null;
    const to = this.#slots.reserve(lane);
    if (to === null) return null;
    state.tenants.note(tenantId);
    return { to, most: state.tenants.hasSeveral() ? this.#shareBeside(lane) : null };
  }

  override wake(lane: CallLane): void {
    // Processes of the tenant take their calls themselves.
    if (!isExecutorLane(lane)) return;
    const state = this.#lanes.get(lane);
    if (state === undefined || this.#stopped) return;
    state.again = true;
    if (state.running) return;
    state.running = true;
    const run = this.#run(lane, state).finally(() => this.#passes.delete(run));
    this.#passes.add(run);
  }

  async #run(lane: Lane, state: LaneState): Promise<void> {
    while (state.again && !this.#stopped) {
      state.again = false;
      try {
        await this.#pass(lane, state);
      } catch (error) {
        state.more = true;
        this.#options.report(error);
      }
    }
    // In the same turn of the event loop as the last check of `again`, so that no wake-up falls between them.
    state.running = false;
  }

  async #pass(lane: Lane, state: LaneState): Promise<void> {
    const free = this.#slots.free(lane);
    state.more = true;
    if (free === 0) return;
    // If no tenant was seen, none can be held up: the first that is dispatched is noted, and is then the only one.
    const most = state.tenants.hasAny() ? this.#shareBeside(lane) : null;
    const dispatched = await kernelSql.dispatchByClass(
      this.#workers.pool,
      {
        lane,
        outstanding: free * OUTSTANDING_PER_SLOT,
        ttl_ms: this.#options.permitTtlMs,
        after: state.position,
        left: state.turnLeft,
        most,
        alone: state.tenants.onlyTenant(),
        background: this.#backgroundMost(lane, state),
      },
      { asyncCommit: true },
    );
    state.position = dispatched.place;
    state.turnLeft = dispatched.left;
    for (const { tenant_id, scheduling_class } of dispatched.calls) {
      state.tenants.note(tenant_id);
      this.#noteClass(state, scheduling_class);
    }
    state.more = dispatched.more;
    const owners = await this.#sessions.ownersOf(dispatched.calls);
    await Promise.all(
      dispatched.calls.map((call) => this.#issue(lane, call, dispatched, owners.get(call.operation_id))),
    );
  }

  /**
   * The most calls that one tenant of weight 1 may have under way in the lane beside others. A command waits for much
   * else than processors, so one slot stays free. An inline call costs little else, so a tenant has a quarter of the
   * slots. It has the same share of the kernel's concurrent requests (`ConcurrencyLimiter`).
   */
  #shareBeside(lane: Lane): number {
    const slots = this.#slots.total(lane);
    return Math.max(1, lane === 'inline' ? Math.floor(slots / 4) : slots - 1);
  }

  /**
   * The most calls that aren't interactive that may be under way in the lane; null for as many as there are slots. A
   * lane of one slot can't keep any free.
   */
  #backgroundMost(lane: Lane, { interactiveAt }: LaneState): number | null {
    const slots = this.#slots.total(lane);
    if (slots < 2 || this.#options.now() - interactiveAt > INTERACTIVE_MS) return null;
    return slots - Math.max(1, Math.floor(slots / 4));
  }

  #noteClass(state: LaneState, schedulingClass: SchedulingClass): void {
    if (schedulingClass === 'interactive') state.interactiveAt = this.#options.now();
  }

  async #issue(
    lane: Lane,
    call: DispatchedCall,
    { issued_at, expires_at }: Dispatched,
    owner: string | undefined,
  ): Promise<void> {
    try {
      if (owner === undefined) return await this.#permitIssuer.issue(lane, 'run', call, issued_at, expires_at);
      await this.#permitIssuer.issueTo(owner, lane, call, issued_at, expires_at);
      this.#sessions.watch(call, () => this.#wakeAgain(lane), this.#options.report);
    } catch (error) {
      this.#options.report(error);
      // Back to the queue at once, instead of when the permit expires. Where the message did arrive, its attempt is
      // fenced.
      await kernelSql.undispatch(this.#workers.pool, { operation: call.operation_id, attempt: call.attempt });
      const state = this.#lanes.get(lane);
      if (state !== undefined) state.more = true;
    }
  }

  #wakeAgain(lane: Lane): void {
    const state = this.#lanes.get(lane);
    if (state !== undefined) state.more = true;
    this.wake(lane);
  }
}
