// SPDX-License-Identifier: Apache-2.0
import type { CallLane, SchedulingClass } from '@writ/contract';
import type { RedeemedRows } from '../../foundation/rows/attempt-rows.ts';

/** An executor with a slot for a call, and the credentials of the attempt that it gets. */
export interface Assignment {
  readonly executor_id: string;
  /** the key that secrets are sealed to, base64 */
  readonly public_key: string;
  /** the mark from which the executor counts the lease */
  readonly mark: string;
  /** the members of a redemption that the executor says that it knows */
  readonly knows: readonly string[];
  readonly nonce: string;
  /**
   * calls of a tenant of weight 1 that may be under way in the lane, this one included; null: as many as it may have at
   * all
   */
  readonly most: number | null;
  readonly permit_ttl_ms: number;
  readonly lease_ms: number;
}

/** What decides whether a call may be assigned. */
export interface AssignableCall {
  readonly tenant_id: string;
  readonly tool_id: string;
  readonly scheduling_class: SchedulingClass;
}

/** A call that was admitted, dispatched and redeemed in one transaction. */
export interface Assigned {
  readonly assignment: Assignment;
  readonly redeemed: RedeemedRows;
}

/** Assigns calls to executors as they are admitted. */
export abstract class Assigner {
  /**
   * Reserves a slot for the call in the lane; null where the call must wait its turn. An
   * assignment that isn't used costs a free slot for half a second.
   */
  abstract assignmentFor(lane: CallLane, call: AssignableCall): Assignment | null;

  /**
   * Sends the call to its executor, after the COMMIT. Returns at once and never throws: a call that can't be sent goes
   * back to its lane, or its lease runs out.
   */
  abstract send(assigned: Assigned): void;
}

/** For deployments where every call waits its turn. */
export class NoAssigner extends Assigner {
  override assignmentFor(): null {
    return null;
  }

  override send(): never {
    throw new Error('nothing is assigned here');
  }
}
