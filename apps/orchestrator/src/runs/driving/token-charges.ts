// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { LeaseLost, type RunClaim } from '../../store/session-rows/sessions.ts';

/**
 * A run's usage as reported to the kernel: absolute totals, the claim, and the number of the report under that claim.
 */
export interface TokenCharge {
  readonly run_id: RunClaim['run_id'];
  readonly fence: number;
  readonly place: number;
  readonly used_total: number;
  readonly reserve: number;
}

/**
 * Charges the `llm_tokens` budget of the run's token while this process drives the run. One charge follows another, and
 * each replaces the previous one. INVARIANT (no orphaned reservation): a reservation is released before the run waits,
 * starts a sub-agent or ends. Where the run is left to another replica, it remains until that replica charges.
 */
export class TokenCharges {
  readonly #claim: RunClaim;
  readonly #charge: (request: TokenCharge) => Promise<{ readonly bounded: boolean }>;
  /** null: not known yet, so a charge is sent */
  #isBounded: boolean | null = null;
  /**
   * the total of the last charge without a reservation; null: a reservation may exist, from a previous replica or from
   * a charge whose reply was lost
   */
  #settled: number | null;
  #place = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** @param settled the settled total when the run was released; null where it was not settled */
  constructor(
    claim: RunClaim,
    settled: number | null,
    charge: (request: TokenCharge) => Promise<{ readonly bounded: boolean }>,
  ) {
    this.#claim = claim;
    this.#settled = settled;
    this.#charge = charge;
  }

  /** Sets whether any token of the chain limits model tokens. This never changes. */
  setBounded(isBounded: boolean): void {
    this.#isBounded = isBounded;
  }

  get isBounded(): boolean {
    return this.#isBounded !== false;
  }

  /**
   * Settles `used`, the run's own total, and reserves what its next reply may use. Faults, without a reservation:
   * `budget.exhausted`, `token.revoked`, `token.expired`, `token.not_yet_valid`. Throws `LeaseLost` where another
   * replica has charged since.
   */
  reserve(used: number, most: number): Promise<void> {
    return this.#inTurn(() => this.#sendCharge(used, most));
  }

  /** Settles `used` and releases the reservation. */
  settle(used: number): Promise<void> {
    return this.#inTurn(async () => {
      if (this.isBounded && this.#settled !== used) await this.#sendCharge(used, 0);
    });
  }

  async #sendCharge(used_total: number, reserve: number): Promise<void> {
    this.#settled = null;
    this.#place += 1;
    const { run_id, fence } = this.#claim;
    const { bounded } = await this.#charge({ run_id, fence, place: this.#place, used_total, reserve }).catch(
      (error: unknown) => {
        throw error instanceof Fault && error.code === 'conflict' ? new LeaseLost(run_id) : error;
      },
    );
    this.#isBounded = bounded;
    if (reserve === 0) this.#settled = used_total;
  }

  /**
   * Sends charges one after another. Calls of one reply may end at once, and the kernel refuses a charge that
   * arrives out of order.
   */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}
