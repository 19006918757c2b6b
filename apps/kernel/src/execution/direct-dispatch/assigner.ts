// SPDX-License-Identifier: Apache-2.0
import type { Lane } from '@writ/contract';
import type { RedeemedRows } from '../../foundation/rows/attempt-rows.ts';

/** For whom a call is admitted: an executor that has a slot for it, and under what it holds the attempt. */
export interface Assignment {
  readonly executor_id: string;
  /** what secrets are sealed to, base64 */
  readonly public_key: string;
  /** what the executor is to count the lease from */
  readonly mark: string;
  readonly nonce: string;
  /**
   * calls of a tenant of weight 1 that may be out in the lane, this one included; null: as many as it may have at all
   */
  readonly most: number | null;
  readonly permit_ttl_ms: number;
  readonly lease_ms: number;
}

/** A call that was admitted, dispatched and redeemed in one transaction. */
export interface Assigned {
  readonly assignment: Assignment;
  readonly redeemed: RedeemedRows;
}

/** Assigns calls to executors as they are admitted. */
export abstract class Assigner {
  /**
   * For whom a call of the tenant with this tool may be admitted to the lane; null where it must wait its turn. What
   * isn't used of it costs a free slot for half a second.
   */
  abstract assignmentFor(lane: Lane, tenantId: string, toolId: string): Assignment | null;

  /**
   * Sends the call to its executor, after the COMMIT. Returns at once and never throws: what can't be sent is given
   * back to its lane, or found by its lease.
   */
  abstract send(assigned: Assigned): void;
}

/** Where every call waits its turn. */
export class NoAssigner extends Assigner {
  override assignmentFor(): null {
    return null;
  }

  override send(): never {
    throw new Error('nothing is assigned here');
  }
}
