// SPDX-License-Identifier: Apache-2.0
import { TOOLS } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';
import type { DispatchedCall } from '../../foundation/database/functions/dispatch.ts';

/** An executor that is there redeems a permit within a fraction of this. In milliseconds. */
const TAKEN_MS = 2_500;

/**
 * Calls of sessions go to the executor that has the session's shell. One that doesn't take its permit in time is taken
 * for dead: the call is dispatched anew, and by then the shell's lease has run out or soon has.
 */
export class SessionCalls {
  readonly #workers: CrossTenantPool;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(workers: CrossTenantPool) {
    this.#workers = workers;
  }

  /** The executors that must get some of these calls, by operation; whoever isn't named may go to any. */
  async ownersOf(calls: readonly DispatchedCall[]): Promise<ReadonlyMap<string, string>> {
    const ofSessions = calls
      .filter(({ tool_id }) => TOOLS.get(tool_id)?.session === true)
      .map(({ operation_id }) => operation_id);
    if (ofSessions.length === 0) return new Map();
    return new Map(Object.entries(await kernelSql.shellOwners(this.#workers.pool, { operations: ofSessions })));
  }

  /** Takes the permit back where nobody has redeemed it in time, and then calls `back`. */
  watch({ operation_id, attempt }: DispatchedCall, back: () => void, report: (error: unknown) => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      kernelSql.undispatch(this.#workers.pool, { operation: operation_id, attempt }).then((wasBack) => {
        if (wasBack) back();
      }, report);
    }, TAKEN_MS);
    this.#timers.add(timer);
  }

  /** The permits' own life bounds what is forgotten here. */
  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}
