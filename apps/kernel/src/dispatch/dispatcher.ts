// SPDX-License-Identifier: Apache-2.0
import { LANES, type Lane, type SlotsEvent } from '@writ/contract';
import { Bell } from '../ports/index.ts';
import { callKernel, type WorkerPool } from '../store/index.ts';
import type { DispatchedCall, PermitDesk } from './permit-desk.ts';
import type { Slots } from './slots.ts';

/** Bounds what a lost ring costs; a pass that finds nothing writes nothing. */
const TICK_MS = 500;
/** Permits outstanding per free slot: one that is being taken and one that is on its way, so that no slot waits for a message. */
const OUTSTANDING_PER_SLOT = 2;

export interface DispatcherOptions {
  /** milliseconds within which a permit must be redeemed */
  readonly permitTtlMs: number;
  /** told what went wrong; the dispatcher goes on */
  readonly report: (error: unknown) => void;
}

interface Dispatched {
  readonly calls: readonly DispatchedCall[];
  readonly more: boolean;
  readonly place: string;
  readonly issued_at: number;
  readonly expires_at: number;
}

/** How a lane stands in this replica. */
interface LaneState {
  running: boolean;
  /** woken since the pass under way began */
  again: boolean;
  /** the last pass left calls waiting, or may have */
  more: boolean;
  /** the tenant served last; the next pass begins after it */
  place: string;
}

/**
 * Gives waiting calls to executors.
 * INVARIANT (durable before sent): a permit is published only after the COMMIT that made its call `dispatched`.
 * INVARIANT (bounded): a lane has at most twice the free slots outstanding, counted in the database over all replicas, so calls wait
 * where they can be cancelled and shared fairly.
 */
export class Dispatcher extends Bell {
  readonly #workers: WorkerPool;
  readonly #desk: PermitDesk;
  readonly #slots: Slots;
  readonly #options: DispatcherOptions;
  readonly #lanes = new Map<Lane, LaneState>(LANES.map((lane) => [lane, { running: false, again: false, more: false, place: '' }]));
  readonly #underWay = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(workers: WorkerPool, desk: PermitDesk, slots: Slots, options: DispatcherOptions) {
    super();
    this.#workers = workers;
    this.#desk = desk;
    this.#slots = slots;
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => { for (const lane of LANES) this.wake(lane); }, TICK_MS);
  }

  /** Takes nothing new; resolves when the passes under way have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await Promise.all(this.#underWay);
  }

  /** An executor has said what it would take. Only a lane that was left with calls is looked at: most such events change nothing. */
  heard(event: SlotsEvent): void {
    this.#slots.note(event);
    for (const [lane, state] of this.#lanes) if (state.more && (event[lane] ?? 0) > 0) this.wake(lane);
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
    // In the same turn as the last look at `again`, so that no ring falls between them.
    state.running = false;
  }

  async #pass(lane: Lane, state: LaneState): Promise<void> {
    const free = this.#slots.free(lane);
    state.more = true;
    if (free === 0) return;
    const taken = await callKernel<Dispatched>(this.#workers.pool, 'dispatch', [lane, free * OUTSTANDING_PER_SLOT, this.#options.permitTtlMs, state.place]);
    state.place = taken.place;
    state.more = taken.more;
    await Promise.all(taken.calls.map((call) => this.#issue(lane, call, taken)));
  }

  async #issue(lane: Lane, call: DispatchedCall, { issued_at, expires_at }: Dispatched): Promise<void> {
    try {
      await this.#desk.issue(lane, 'run', call, issued_at, expires_at);
    } catch (error) {
      this.#options.report(error);
      // Back to the queue at once instead of after the permit's life. Where the message did arrive, its attempt is fenced.
      await callKernel<boolean>(this.#workers.pool, 'undispatch', [call.operation_id, call.attempt]);
      const state = this.#lanes.get(lane);
      if (state !== undefined) state.more = true;
    }
  }
}
