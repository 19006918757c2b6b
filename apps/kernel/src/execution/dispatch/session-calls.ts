// SPDX-License-Identifier: Apache-2.0
import { TOOLS } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';
import type { DispatchedCall } from '../../foundation/database/functions/dispatch.ts';

/** A live executor redeems a permit within a fraction of this. In milliseconds. */
const REDEEM_MS = 2_500;

/**
 * Calls of sessions go to the executor that has the session's shell. An executor that doesn't redeem its permit in time
 * counts as dead: the call is dispatched anew, and by then the shell's lease has run out or soon has.
 */
export class SessionCalls {
  readonly #workers: CrossTenantPool;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(workers: CrossTenantPool) {
    this.#workers = workers;
  }

  /** The executors that must get some of these calls, by operation; a call without an entry may go to any. */
  async ownersOf(calls: readonly DispatchedCall[]): Promise<ReadonlyMap<string, string>> {
    const ofSessions = calls
      .filter(({ tool_id }) => TOOLS.get(tool_id)?.session === true)
      .map(({ operation_id }) => operation_id);
    if (ofSessions.length === 0) return new Map();
    return new Map(Object.entries(await kernelSql.shellOwners(this.#workers.pool, { operations: ofSessions })));
  }

  /** Takes the permit back where it was not redeemed in time, and then calls `back`. */
  watch({ operation_id, attempt }: DispatchedCall, onReturned: () => void, report: (error: unknown) => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      kernelSql.undispatch(this.#workers.pool, { operation: operation_id, attempt }).then((wasReturned) => {
        if (wasReturned) onReturned();
      }, report);
    }, REDEEM_MS);
    this.#timers.add(timer);
  }

  /** Forgets the permits under watch; they expire by themselves. */
  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}
