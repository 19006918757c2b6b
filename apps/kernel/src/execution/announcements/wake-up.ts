// SPDX-License-Identifier: Apache-2.0
import type { CallLane } from '@writ/contract';

/** Wakes the dispatcher of this replica. */
export abstract class WakeUp {
  /**
   * Notifies the dispatcher that an operation may wait in the lane. Returns at once and never throws. Callers wake the
   * dispatcher after the COMMIT that made the operation wait. A wake-up that is lost delays the call until the
   * dispatcher's timer, and loses nothing.
   */
  abstract wake(lane: CallLane): void;

  /**
   * Notifies the dispatcher, after the COMMIT, that a call of the lane has ended, and which executor's slot it had, if
   * any. Returns at once and never throws. It costs nothing where no call waits.
   */
  abstract slotFreed(lane: CallLane, executorId: string | null): void;
}
