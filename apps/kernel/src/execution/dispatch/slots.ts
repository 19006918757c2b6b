// SPDX-License-Identifier: Apache-2.0
import { LANES, type Lane, type SlotsEvent } from '@writ/contract';

/**
 * How long an executor's word counts, in milliseconds. Executors speak several times a second; three seconds forgive a
 * stall, not a death.
 */
const HEARD_MS = 3_000;

/**
 * What one executor may say: far more than a machine runs, and small enough that the sum of all is a number for the
 * database.
 */
const SLOTS_MAX = 1_000;
/** Executors remembered at a time. Their ids are their own word, so they must not fill the memory. */
const EXECUTORS_MAX = 1_000;

/**
 * How long its word that it takes what is assigned to it counts, in milliseconds: what goes to one that has died since
 * waits for its lease. Two of its announcements, and a stall.
 */
const ASSIGNABLE_MS = 1_200;

/** An executor that a call can be assigned to, as it said. */
export interface Assignee {
  readonly executorId: string;
  readonly publicKey: string;
  readonly mark: string;
}

interface Heard {
  /** the most that it has ever had free: what it can run at once, once it has been idle */
  readonly slots: Readonly<Record<Lane, number>>;
  readonly free: Readonly<Record<Lane, number>>;
  readonly at: number;
  readonly assignee: Assignee | null;
  /** calls that were assigned on this word */
  readonly assigned: Record<Lane, number>;
}

/** What executors have said of their free slots. `now` is a monotonic clock of this process, in milliseconds. */
export class Slots {
  readonly #heard = new Map<string, Heard>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  note(event: SlotsEvent): void {
    const { executor_id } = event;
    if (!this.#heard.has(executor_id) && this.#heard.size >= EXECUTORS_MAX) return;
    const free = byLane((lane) => Math.min(event[lane] ?? 0, SLOTS_MAX));
    const { slots } = this.#heard.get(executor_id) ?? { slots: free };
    const { assignable } = event;
    const assignee =
      assignable === undefined
        ? null
        : { executorId: executor_id, publicKey: assignable.public_key, mark: assignable.mark };
    this.#heard.set(executor_id, {
      free,
      slots: byLane((lane) => Math.max(slots[lane], free[lane])),
      at: this.#now(),
      assignee,
      assigned: byLane(() => 0),
    });
  }

  /**
   * Takes a free slot of the lane for a call, where an executor has one and takes what is assigned to it: of the one
   * that has most left. Null where none has.
   */
  assign(lane: Lane): Assignee | null {
    const oldest = this.#now() - ASSIGNABLE_MS;
    let best: Heard | null = null;
    for (const heard of this.#heard.values()) {
      if (
        heard.assignee !== null &&
        heard.at >= oldest &&
        leftOf(heard, lane) > (best === null ? 0 : leftOf(best, lane))
      )
        best = heard;
    }
    if (best === null) return null;
    best.assigned[lane] += 1;
    return best.assignee;
  }

  /** A call has ended there: if it was assigned, its slot may be taken again before the executor says so. */
  freed(lane: Lane, executorId: string): void {
    const heard = this.#heard.get(executorId);
    if (heard !== undefined && heard.assigned[lane] > 0) heard.assigned[lane] -= 1;
  }

  /**
   * Free slots of the lane over all executors heard lately, but for those that were assigned since; the others are
   * forgotten.
   */
  free(lane: Lane): number {
    return this.#sum((heard) => Math.max(0, leftOf(heard, lane)));
  }

  /** What those executors can run at once in the lane, as far as they have shown. */
  all(lane: Lane): number {
    return this.#sum(({ slots }) => slots[lane]);
  }

  #sum(of: (heard: Heard) => number): number {
    const oldest = this.#now() - HEARD_MS;
    let sum = 0;
    for (const [executor, heard] of this.#heard) {
      if (heard.at < oldest) this.#heard.delete(executor);
      else sum += of(heard);
    }
    return sum;
  }
}

const leftOf = ({ free, assigned }: Heard, lane: Lane): number => free[lane] - assigned[lane];

const byLane = (count: (lane: Lane) => number): Record<Lane, number> =>
  Object.fromEntries(LANES.map((lane) => [lane, count(lane)])) as Record<Lane, number>;
