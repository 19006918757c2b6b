// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, type McpProblem } from '@writ/contract';
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
  readonly #stopping = new AbortController();
  readonly #running = new Map<Promise<void>, ClaimedTokenWork['tenant_id']>();
  #loop: Promise<void> = Promise.resolve();

  constructor(parts: TokenIntakeParts) {
    this.#parts = parts;
  }

  start(): Promise<void> {
    this.#loop = this.#run();
    return Promise.resolve();
  }

  /**
   * Takes no more work. What is under way goes on to its report: an authorization server may have replaced the refresh
   * token already.
   */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
    await Promise.all(this.#running.keys());
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const hadWork = await this.#next().catch((error: unknown) => {
        // A kernel that isn't there yet, or is busy, is asked again; and one of the previous version has no such work.
        const isPassing = error instanceof Fault && (error.retryable || error.code === 'request.malformed');
        if (!signal.aborted && !isPassing) this.#parts.failed(error, null);
        return false;
      });
      if (!hadWork) await sleep(ASK_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #next(): Promise<boolean> {
    if (this.#running.size >= AT_ONCE) {
      await Promise.race(this.#running.keys());
      return true;
    }
    const { kernel, executorId } = this.#parts;
    const work = await kernel.claimTokenWork(executorId, this.#withoutMore(), REPLY_MS);
    if (work === null) return false;
    const doing = this.#do(work).finally(() => this.#running.delete(doing));
    this.#running.set(doing, work.tenant_id);
    return true;
  }

  /**
   * Tenants that have their share of this executor. INVARIANT (shares): it counts what is done here, also for a
   * connection that ended meanwhile and that the kernel counts no more.
   */
  #withoutMore(): readonly ClaimedTokenWork['tenant_id'][] {
    const tenants = [...this.#running.values()];
    return [...new Set(tenants)].filter((one) => tenants.filter((other) => other === one).length >= EACH_MAX);
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

/** The kernel refuses the report as it is: then nothing of it is stored. */
const isRefused = (error: unknown): boolean => error instanceof Fault && error.code === 'request.malformed';

/** Administrators of a tenant read it, and the error itself is for operators. */
const problemOf = (error: unknown): McpProblem => ({
  code: error instanceof Fault ? error.code : 'internal',
  message: 'the executor failed at it, and its log says why',
});
