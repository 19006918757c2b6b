// SPDX-License-Identifier: Apache-2.0
import { LANES, type Lane, type SlotsEvent, type SystemReport } from '@writ/contract';

/**
 * How long an executor's last event counts, in milliseconds. Executors send several a second; three seconds forgive a
 * stall, not a death.
 */
const EVENT_VALID_MS = 3_000;

/**
 * The most slots that an executor may report: far more than a machine runs, and small enough that the sum of all is a
 * number for the database.
 */
const SLOTS_MAX = 1_000;
/** Executors in memory at once. They choose their ids themselves, so they must not fill the memory. */
const EXECUTORS_MAX = 1_000;

/**
 * How long an executor counts as assignable after its event, in milliseconds. A call that is assigned to a dead
 * executor waits until its lease runs out. The time is two of its events, and a stall.
 */
const ASSIGNABLE_MS = 1_200;

/** An executor that accepts assigned calls, by its own event. */
export interface Assignee {
  readonly executorId: string;
  readonly publicKey: string;
  readonly mark: string;
  /** the members of a redemption that it says that it knows */
  readonly knows: readonly string[];
}

interface SlotReport {
  /** the most that it has ever had free: what it can run at once, once it has been idle */
  readonly slots: Readonly<Record<Lane, number>>;
  readonly free: Readonly<Record<Lane, number>>;
  readonly at: number;
  readonly assignee: Assignee | null;
  /** calls that were assigned since that event */
  readonly assigned: Record<Lane, number>;
}

/** The free slots that executors report. `now` is a monotonic clock of this process, in milliseconds. */
export class Slots {
  readonly #reports = new Map<string, SlotReport>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  note(event: SlotsEvent): void {
    const { executor_id } = event;
    if (!this.#reports.has(executor_id) && this.#reports.size >= EXECUTORS_MAX) return;
    const free = byLane((lane) => Math.min(event[lane] ?? 0, SLOTS_MAX));
    const { slots } = this.#reports.get(executor_id) ?? { slots: free };
    const { assignable } = event;
    const assignee =
      assignable === undefined
        ? null
        : {
            executorId: executor_id,
            publicKey: assignable.public_key,
            mark: assignable.mark,
            knows: assignable.knows ?? [],
          };
    this.#reports.set(executor_id, {
      free,
      slots: byLane((lane) => Math.max(slots[lane], free[lane])),
      at: this.#now(),
      assignee,
      assigned: byLane(() => 0),
    });
  }

  /**
   * Reserves a free slot of the lane for a call, on the assignable executor that has most left. Null where none has a
   * slot.
   */
  reserve(lane: Lane): Assignee | null {
    const oldest = this.#now() - ASSIGNABLE_MS;
    let best: SlotReport | null = null;
    for (const report of this.#reports.values()) {
      if (
        report.assignee !== null &&
        report.at >= oldest &&
        leftOf(report, lane) > (best === null ? 0 : leftOf(best, lane))
      )
        best = report;
    }
    if (best === null) return null;
    best.assigned[lane] += 1;
    return best.assignee;
  }

  /** A call has ended there: if it was assigned, its slot may be reserved again before the executor reports it. */
  slotFreed(lane: Lane, executorId: string): void {
    const report = this.#reports.get(executorId);
    if (report !== undefined && report.assigned[lane] > 0) report.assigned[lane] -= 1;
  }

  /**
   * Free slots of the lane over all executors with a recent event, without those assigned since; other executors are
   * forgotten.
   */
  free(lane: Lane): number {
    return this.#sum((report) => Math.max(0, leftOf(report, lane)));
  }

  /** Calls that those executors can run at once in the lane, as far as their events have shown. */
  total(lane: Lane): number {
    return this.#sum(({ slots }) => slots[lane]);
  }

  /** The executors with a recent event, the one that was heard of last first. Other executors are forgotten. */
  seen(): SystemReport['executors'] {
    const now = this.#now();
    this.#sum(() => 0);
    return [...this.#reports]
      .map(([executor_id, { slots, free, at }]) => ({
        executor_id: executor_id as SystemReport['executors'][number]['executor_id'],
        slots: { ...slots },
        free: { ...free },
        seen_ms_ago: Math.max(0, Math.round(now - at)),
      }))
      .sort((a, b) => a.seen_ms_ago - b.seen_ms_ago);
  }

  #sum(of: (report: SlotReport) => number): number {
    const oldest = this.#now() - EVENT_VALID_MS;
    let sum = 0;
    for (const [executor, report] of this.#reports) {
      if (report.at < oldest) this.#reports.delete(executor);
      else sum += of(report);
    }
    return sum;
  }
}

const leftOf = ({ free, assigned }: SlotReport, lane: Lane): number => free[lane] - assigned[lane];

const byLane = (count: (lane: Lane) => number): Record<Lane, number> =>
  Object.fromEntries(LANES.map((lane) => [lane, count(lane)])) as Record<Lane, number>;
