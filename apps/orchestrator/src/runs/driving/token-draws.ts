// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { LeaseLost, type RunClaim } from '../../store/sessions/sessions.ts';

/** What the kernel is told of a run: absolute figures, under which claim, and which telling of that. */
export interface TokenDraw {
  readonly run_id: RunClaim['run_id'];
  readonly fence: number;
  readonly place: number;
  readonly used_total: number;
  readonly reserve: number;
}

/**
 * What a run draws on the `llm_tokens` of its token while this process drives it: one draw after another, each in place
 * of the last. INVARIANT (nothing is held for nobody): what was reserved is let go of before the run waits, hands on or
 * ends; where it is left to others it stands until they draw.
 */
export class TokenDraws {
  readonly #claim: RunClaim;
  readonly #draw: (draw: TokenDraw) => Promise<{ readonly bounded: boolean }>;
  /** null: not known yet, so the kernel is asked */
  #isBounded: boolean | null = null;
  /**
   * the total that was settled with nothing reserved; null: something may be reserved, by who drove the run before or
   * by a draw whose answer was lost
   */
  #settled: number | null;
  #place = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** @param settled what was settled when the run was let go of; null where it wasn't */
  constructor(
    claim: RunClaim,
    settled: number | null,
    draw: (draw: TokenDraw) => Promise<{ readonly bounded: boolean }>,
  ) {
    this.#claim = claim;
    this.#settled = settled;
    this.#draw = draw;
  }

  /** Says whether any token of the chain bounds what models use: that never changes. */
  know(isBounded: boolean): void {
    this.#isBounded = isBounded;
  }

  get isBounded(): boolean {
    return this.#isBounded !== false;
  }

  /**
   * Settles `used`, the run's own total, and reserves what its next reply may use. Faults: `budget.exhausted`,
   * `token.revoked`, `token.expired`, `token.not_yet_valid`: nothing is reserved then. Throws `LeaseLost` where another
   * drew since.
   */
  reserve(used: number, most: number): Promise<void> {
    return this.#inTurn(() => this.#say(used, most));
  }

  /** Settles `used` and lets go of what is reserved. */
  settle(used: number): Promise<void> {
    return this.#inTurn(async () => {
      if (this.isBounded && this.#settled !== used) await this.#say(used, 0);
    });
  }

  async #say(used_total: number, reserve: number): Promise<void> {
    this.#settled = null;
    this.#place += 1;
    const { run_id, fence } = this.#claim;
    const { bounded } = await this.#draw({ run_id, fence, place: this.#place, used_total, reserve }).catch(
      (error: unknown) => {
        throw error instanceof Fault && error.code === 'conflict' ? new LeaseLost(run_id) : error;
      },
    );
    this.#isBounded = bounded;
    if (reserve === 0) this.#settled = used_total;
  }

  /** Calls of one reply end at once, and a draw that overtakes another would be refused. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}
