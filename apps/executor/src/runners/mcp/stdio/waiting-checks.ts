// SPDX-License-Identifier: Apache-2.0
import { Fault, type WaitingProgram } from '@writ/contract';
import { isPassing } from '../../../egress/repeat-while-passing.ts';
import type { ProcessPool, TenantWaiting } from './process-pool.ts';

/** A process that nobody may call any more waits so long at most, and as long as the kernel takes to answer. */
export const CHECK_MS = 2_000;

/** The last calls of those processes of a tenant that may wait for another call. It rejects where nobody answers. */
export type FindLive = (tenantId: string, programs: readonly WaitingProgram[]) => Promise<readonly string[]>;

export interface CheckOptions {
  readonly findLive: FindLive;
  /** receives why processes could not be checked, where asking again does not help */
  readonly failed: (error: unknown) => void;
}

/**
 * Ends processes that wait and that nobody may call any more: after the revocation of a token or of a key, a freeze, an
 * erasure, or a change of the server. Without an answer they wait on, as the shells of sessions do: the kernel refuses
 * each call of theirs, and they end as any idle process does.
 */
export class WaitingChecks {
  readonly #pool: ProcessPool;
  readonly #options: CheckOptions;
  readonly #timer: NodeJS.Timeout;
  #isAsking = false;
  #isOldKernelReported = false;

  /** Starts at once. */
  constructor(pool: ProcessPool, options: CheckOptions) {
    this.#pool = pool;
    this.#options = options;
    this.#timer = setInterval(() => void this.check(), CHECK_MS).unref();
  }

  /** Asks once about all of them, unless it is asking already. */
  async check(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      await Promise.all(this.#pool.waiting().map((waiting) => this.#checkTenant(waiting)));
    } finally {
      this.#isAsking = false;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #checkTenant({ tenantId, programs, endUnless }: TenantWaiting): Promise<void> {
    try {
      endUnless(new Set(await this.#options.findLive(tenantId, programs)));
    } catch (error) {
      this.#report(error);
    }
  }

  /** Reports what asking again does not help. A kernel of the version before knows no such request: that, once. */
  #report(error: unknown): void {
    if (isPassing(error)) return;
    if (error instanceof Fault && error.code === 'request.malformed') {
      if (this.#isOldKernelReported) return;
      this.#isOldKernelReported = true;
    }
    this.#options.failed(error);
  }
}
