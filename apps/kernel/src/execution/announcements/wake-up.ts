// SPDX-License-Identifier: Apache-2.0
import type { Lane } from '@writ/contract';

/** Wakes the dispatcher of this replica. */
export abstract class WakeUp {
  /**
   * Says that an operation may wait in the lane. Returns at once and never throws. Callers ring after the COMMIT that
   * made it wait; a ring that is lost costs the dispatcher's timer, never the call.
   */
  abstract wake(lane: Lane): void;

  /**
   * Says that a call of the lane has ended, and whose slot it had if any, after its COMMIT. Returns at once and never
   * throws; where nothing was left waiting it costs nothing.
   */
  abstract freed(lane: Lane, executorId: string | null): void;
}
