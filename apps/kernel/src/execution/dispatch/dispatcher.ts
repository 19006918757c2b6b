// SPDX-License-Identifier: Apache-2.0
import { LANES, type Lane, type SlotsEvent } from '@writ/contract';
import { Repeated } from '@writ/nest-kit';
import { WakeUp } from '../announcements/wake-up.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';
import type { DispatchedCall, Dispatched } from '../../foundation/database/functions/dispatch.ts';
import type { PermitIssuer } from './permit-issuer.ts';
import { LaneTenants } from './lane-tenants.ts';
import { SessionCalls } from './session-calls.ts';
import type { Assignee, Slots } from './slots.ts';

/** How long a lost wake-up can delay a call. A pass that finds nothing writes nothing. */
const TICK_MS = 500;
/**
 * Permits outstanding per free slot: one that is being taken and one that is on its way, so that no slot waits for a
 * message.
 */
const OUTSTANDING_PER_SLOT = 2;

export interface DispatcherOptions {
  /** milliseconds within which a permit must be redeemed */
  readonly permitTtlMs: number;
  /** told what went wrong; the dispatcher goes on */
  readonly report: (error: unknown) => void;
  /** monotonic milliseconds */
  readonly now: () => number;
}

/** How a lane stands in this replica. */
interface LaneState {
  running: boolean;
  /** woken since the pass under way began */
  again: boolean;
  /** the last pass left calls waiting, or may have */
  more: boolean;
  /** the tenant served last; the next pass begins after it, or with it where so much of its turn is left */
  place: string;
  left: number;
  readonly tenants: LaneTenants;
}

/**
 * Gives waiting calls to executors.
 * INVARIANT (durable before it acts): a permit is published only after the COMMIT that made its call `dispatched`. That
 * COMMIT waits for no disk. A permit acts by its redemption, which does wait. If a server that crashed has lost the
 * dispatch, the permit can't be redeemed, and the call is dispatched again.
 * INVARIANT (bounded): a lane has at most twice the free slots outstanding, counted in the database over all replicas.
 * So calls wait where they can be cancelled and shared fairly.
 * INVARIANT (room for others): while another tenant uses a lane, no tenant fills its slots, so the other's call needn't
 * wait for one of them to end. Each tenant's use counts, also one whose calls run for long and that is dispatched
 * nothing meanwhile.
 */
export class Dispatcher extends WakeUp {
  readonly #workers: CrossTenantPool;
  readonly #desk: PermitIssuer;
  readonly #slots: Slots;
  readonly #options: DispatcherOptions;
  readonly #lanes: ReadonlyMap<Lane, LaneState>;
  readonly #sessions: SessionCalls;
  readonly #underWay = new Set<Promise<void>>();
  readonly #ticks: Repeated;
  #stopped = false;

  constructor(workers: CrossTenantPool, desk: PermitIssuer, slots: Slots, options: DispatcherOptions) {
    super();
    this.#workers = workers;
    this.#desk = desk;
    this.#slots = slots;
    this.#options = options;
    this.#lanes = new Map(
      LANES.map((lane) => [
        lane,
        { running: false, again: false, more: false, place: '', left: 0, tenants: new LaneTenants(options.now) },
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

  /** Takes nothing new; resolves when the passes under way have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#ticks.stop();
    this.#sessions.stop();
    await this.settled();
  }

  /** Resolves when the passes under way have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /**
   * An executor has sent how many calls it would take. Only lanes that were left with calls are looked at: most such
   * events change nothing.
   */
  heard(event: SlotsEvent): void {
    this.#slots.note(event);
    for (const [lane, state] of this.#lanes) if (state.more && (event[lane] ?? 0) > 0) this.wake(lane);
  }

  /** A tenant that had as many calls under way as it may have takes its next one now, without a wake-up. */
  override freed(lane: Lane, executorId: string | null): void {
    if (executorId !== null) this.#slots.freed(lane, executorId);
    if (this.#lanes.get(lane)?.more === true) this.wake(lane);
  }

  /**
   * An executor that a call of the tenant may be assigned to as it is admitted, whose slot is taken then, and how many
   * calls the tenant may have out in the lane. Null where calls take turns: where this replica is dispatching in the
   * lane, or has left some waiting there.
   */
  assignee(lane: Lane, tenantId: string): { readonly to: Assignee; readonly most: number | null } | null {
    const state = this.#lanes.get(lane);
    if (state === undefined || this.#stopped || state.running || state.more) return null;
    const to = this.#slots.assign(lane);
    if (to === null) return null;
    state.tenants.note(tenantId);
    return { to, most: state.tenants.areSeveral() ? this.#mostBeside(lane) : null };
  }

  override wake(lane: Lane): void {
    const state = this.#lanes.get(lane);
    if (state === undefined || this.#stopped) return;
    state.again = true;
    if (state.running) return;
    state.running = true;
    const run = this.#run(lane, state).finally(() => this.#underWay.delete(run));
    this.#underWay.add(run);
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
    // In the same turn as the last look at `again`, so that no wake-up falls between them.
    state.running = false;
  }

  async #pass(lane: Lane, state: LaneState): Promise<void> {
    const free = this.#slots.free(lane);
    state.more = true;
    if (free === 0) return;
    // Where nobody was seen, nobody is known to be held up: whoever is taken first is noted, and then it is the one.
    const most = state.tenants.isAny() ? this.#mostBeside(lane) : null;
    const taken = await kernelSql.dispatch(
      this.#workers.pool,
      {
        lane,
        outstanding: free * OUTSTANDING_PER_SLOT,
        ttl_ms: this.#options.permitTtlMs,
        after: state.place,
        left: state.left,
        most,
        alone: state.tenants.alone(),
      },
      { unawaited: true },
    );
    state.place = taken.place;
    state.left = taken.left;
    for (const call of taken.calls) state.tenants.note(call.tenant_id);
    state.more = taken.more;
    const owners = await this.#sessions.ownersOf(taken.calls);
    await Promise.all(taken.calls.map((call) => this.#issue(lane, call, taken, owners.get(call.operation_id))));
  }

  /**
   * How many calls one tenant of weight 1 may have out in the lane beside others. A command waits for much else than
   * processors, so one slot stays free. An inline call costs little else, so a tenant has a quarter of the slots. It
   * has the same part of the places in the kernel (`ConcurrencyLimiter`).
   */
  #mostBeside(lane: Lane): number {
    const slots = this.#slots.all(lane);
    return Math.max(1, lane === 'inline' ? Math.floor(slots / 4) : slots - 1);
  }

  async #issue(
    lane: Lane,
    call: DispatchedCall,
    { issued_at, expires_at }: Dispatched,
    owner: string | undefined,
  ): Promise<void> {
    try {
      if (owner === undefined) return await this.#desk.issue(lane, 'run', call, issued_at, expires_at);
      await this.#desk.issueTo(owner, lane, call, issued_at, expires_at);
      this.#sessions.watch(call, () => this.#wakeAgain(lane), this.#options.report);
    } catch (error) {
      this.#options.report(error);
      // Back to the queue at once instead of after the permit's life. Where the message did arrive, its attempt is
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
