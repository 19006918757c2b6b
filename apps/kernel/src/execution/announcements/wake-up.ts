// SPDX-License-Identifier: Apache-2.0
import type { Lane } from '@writ/contract';

/** Wakes the dispatcher of this replica. */
export abstract class WakeUp {
  /**
   * Says that an operation may wait in the lane. Returns at once and never throws. Callers wake the dispatcher after
   * the COMMIT that made the operation wait. A wake-up that is lost delays the call until the dispatcher's timer, and
   * loses nothing.
   */
  abstract wake(lane: Lane): void;

  /**
   * Says that a call of the lane has ended, and whose slot it had if any, after its COMMIT. Returns at once and never
   * throws; where nothing was left waiting it costs nothing.
   */
  abstract freed(lane: Lane, executorId: string | null): void;
}
