// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, type McpProblem } from '@writ/contract';
import { ClaimLoop } from '../../foundation/claim-loop.ts';
import type { ClaimedTokenWork, KernelClient, TokenReport } from '../../foundation/kernel-client.ts';
import type { TokenWorker } from './token-worker.ts';

/** How often it asks for work. A person waits for the answer, or a call. */
const ASK_MS = 1_000;
const REPLY_MS = 5_000;
/** The pause between two tries to report, in milliseconds. New tokens are lost with a report that never arrives. */
const REPORT_MS = 500;
const REPORT_TRIES = 12;
/** A slow authorization server holds up no other one. */
const AT_ONCE = 8;
/** Work of one tenant at a time: less than half, so that two tenants with slow servers hold up no other tenant. */
const EACH_MAX = 3;

export interface TokenIntakeParts {
  readonly kernel: Pick<KernelClient, 'claimTokenWork' | 'reportTokenWork'>;
  readonly executorId: string;
  readonly worker: Pick<TokenWorker, 'run' | 'discard'>;
  /** receives bugs, for operators */
  readonly failed: (error: unknown, work: ClaimedTokenWork | null) => void;
}

/** Does the work of connections that is due at authorization servers. */
export class TokenIntake {
  readonly #parts: TokenIntakeParts;
  readonly #loop: ClaimLoop<ClaimedTokenWork>;

  constructor(parts: TokenIntakeParts) {
    const { kernel, executorId } = parts;
    this.#parts = parts;
    this.#loop = new ClaimLoop({
      askMs: ASK_MS,
      atOnce: AT_ONCE,
      isNewRequest: true,
      claim: (underWay) => kernel.claimTokenWork(executorId, withShare(underWay), REPLY_MS),
      perform: (work) => this.#do(work),
      failed: (error) => parts.failed(error, null),
    });
  }

  start(): Promise<void> {
    return this.#loop.start();
  }

  /**
   * Takes no more work. What is under way goes on to its report: an authorization server may have replaced the refresh
   * token already.
   */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /**
   * INVARIANT (reported): whatever it fails with is reported, so that it isn't given out again for ever. It never
   * rejects.
   */
  async #do(work: ClaimedTokenWork): Promise<void> {
    const { worker, failed } = this.#parts;
    const never = new AbortController().signal;
    try {
      const report = await worker.run(work, never).catch((error: unknown) => {
        failed(error, work);
        return { tokens: null, problem: problemOf(error), final: false };
      });
      // A person or an administrator ended the connection meanwhile, or the kernel can't store what the server gave.
      if (!(await this.#isKept(work, report))) await worker.discard(work, report, never);
    } catch (error) {
      failed(error, work);
    }
  }

  /** INVARIANT (kept or revoked): tokens that the kernel refuses are nobody's, and a problem says so. */
  async #isKept(work: ClaimedTokenWork, report: TokenReport): Promise<boolean> {
    try {
      return await this.#report(work, report);
    } catch (error) {
      const { failed } = this.#parts;
      if (report.tokens === null || !isRefused(error)) throw error;
      failed(error, work);
      const instead = { tokens: null, problem: problemOf(error), final: false };
      await this.#report(work, instead).catch((again: unknown) => failed(again, work));
      return false;
    }
  }

  async #report(work: ClaimedTokenWork, report: TokenReport): Promise<boolean> {
    const { kernel, executorId } = this.#parts;
    for (let tries = 1; ; tries += 1) {
      try {
        return await kernel.reportTokenWork(work, executorId, report, REPLY_MS);
      } catch (error) {
        if (tries >= REPORT_TRIES || !(error instanceof Fault && error.retryable)) throw error;
        await sleep(REPORT_MS);
      }
    }
  }
}

/**
 * Tenants that have their share of this executor. INVARIANT (shares): it counts what is done here, also for a
 * connection that ended meanwhile and that the kernel counts no more.
 */
function withShare(underWay: readonly ClaimedTokenWork[]): readonly ClaimedTokenWork['tenant_id'][] {
  const tenants = underWay.map(({ tenant_id }) => tenant_id);
  return [...new Set(tenants)].filter((one) => tenants.filter((other) => other === one).length >= EACH_MAX);
}

/** The kernel refuses the report as it is: then nothing of it is stored. */
const isRefused = (error: unknown): boolean => error instanceof Fault && error.code === 'request.malformed';

/** Administrators of a tenant read it, and the error itself is for operators. */
const problemOf = (error: unknown): McpProblem => ({
  code: error instanceof Fault ? error.code : 'internal',
  message: 'the executor failed at it, and its log says why',
});
