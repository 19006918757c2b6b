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
  /** null for a model without prices in a currency */
  readonly cost: { readonly currency: string; readonly used_total: number; readonly reserve: number } | null;
}

/** Tokens, and what they cost in millionths; `cost` is null for a model without prices. */
export interface ModelAmount {
  readonly tokens: number;
  readonly cost: number | null;
}

/**
 * How long a run that nothing bounds goes on before it is charged again, in milliseconds: a budget may have been set
 * meanwhile.
 */
const UNBOUNDED_MS = 10_000;
/** Nothing is to be reserved. */
const NONE: ModelAmount = { tokens: 0, cost: 0 };

/**
 * Charges the `llm_tokens` budget of the run's token, and budgets per day and month, while this process drives the
 * run. One charge follows another, and each replaces the previous one. INVARIANT (no orphaned reservation): a
 * reservation is released before the run waits, starts a sub-agent or ends. Where the run is left to another replica,
 * it remains until that replica charges.
 */
export class TokenCharges {
  readonly #claim: RunClaim;
  readonly #charge: (request: TokenCharge) => Promise<{ readonly bounded: boolean }>;
  readonly #now: () => number;
  readonly #currency: string | null;
  /** null: not known yet, so a charge is sent */
  #isBounded: boolean | null = null;
  /** when a charge last told that nothing bounds the run */
  #toldAt = -Infinity;
  /**
   * the total of the last charge without a reservation; null: a reservation may exist, from a previous replica or from
   * a charge whose reply was lost
   */
  #settled: number | null;
  #place = 0;
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param settled the settled total when the run was released; null where it was not settled
   * @param meter the currency of the run's costs, or null, and milliseconds that only go forward
   */
  constructor(
    claim: RunClaim,
    settled: number | null,
    meter: { readonly currency: string | null; readonly now: () => number },
    charge: (request: TokenCharge) => Promise<{ readonly bounded: boolean }>,
  ) {
    this.#claim = claim;
    this.#settled = settled;
    this.#currency = meter.currency;
    this.#now = meter.now;
    this.#charge = charge;
  }

  /** Whether the next reply has to be reserved: something bounds the run, or may do so by now. */
  get isDue(): boolean {
    return this.#isBounded !== false || this.#now() - this.#toldAt >= UNBOUNDED_MS;
  }

  /**
   * Settles `used`, the run's own total, and reserves what its next reply may use. Faults, without a reservation:
   * `budget.exhausted`, `budget.period`, `token.revoked`, `token.expired`, `token.not_yet_valid`. Throws
   * `LeaseLost` where another replica has charged since.
   */
  reserve(used: ModelAmount, most: ModelAmount): Promise<void> {
    return this.#inTurn(() => this.#sendCharge(used, most));
  }

  /** Settles `used` and releases the reservation. */
  settle(used: ModelAmount): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#isBounded !== false && this.#settled !== used.tokens) await this.#sendCharge(used, NONE);
    });
  }

  async #sendCharge(used: ModelAmount, most: ModelAmount): Promise<void> {
    const { tokens: used_total } = used;
    const { tokens: reserve } = most;
    const cost =
      this.#currency === null || used.cost === null
        ? null
        : { currency: this.#currency, used_total: used.cost, reserve: most.cost ?? 0 };
    this.#settled = null;
    this.#place += 1;
    const { run_id, fence } = this.#claim;
    const { bounded } = await this.#charge({ run_id, fence, place: this.#place, used_total, reserve, cost }).catch(
      (error: unknown) => {
        throw error instanceof Fault && error.code === 'conflict' ? new LeaseLost(run_id) : error;
      },
    );
    this.#isBounded = bounded;
    this.#toldAt = this.#now();
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
