// SPDX-License-Identifier: Apache-2.0
import type { OperationRow } from '../../foundation/rows/operation-row.ts';

/** An operation that has ended, as its last transaction left it, with its result still encrypted. */
export interface Outcome {
  readonly row: OperationRow;
  readonly sealedResult: Buffer | null;
}

/**
 * `elsewhere`: another replica has changed it, and the database has its new state. `nothing`: it hasn't ended in time.
 */
export type OutcomeNews = Outcome | 'elsewhere' | 'nothing';

type Listener = (news: OutcomeNews) => void;

/**
 * Lets the proposer of a call wait for its end where it was admitted: most calls end within milliseconds, and one reply
 * then has both decision and outcome.
 */
export class Outcomes {
  readonly #waiting = new Map<string, Set<Listener>>();
  readonly #waitersMax: number;

  /** @param waitersMax further waiters get `nothing` at once: each waiter keeps a request open */
  constructor(waitersMax: number) {
    this.#waitersMax = waitersMax;
  }

  /**
   * Resolves with the first news of the operation, or with `nothing` after so many milliseconds. Callers begin before
   * it can end.
   */
  async wait(operationId: string, ms: number): Promise<OutcomeNews> {
    if (ms <= 0 || this.#waiting.size >= this.#waitersMax) return 'nothing';
    const listeners = this.#waiting.get(operationId) ?? new Set<Listener>();
    this.#waiting.set(operationId, listeners);
    return await new Promise((resolve) => {
      const notify: Listener = (news) => {
        clearTimeout(timer);
        listeners.delete(notify);
        if (listeners.size === 0) this.#waiting.delete(operationId);
        resolve(news);
      };
      const timer = setTimeout(() => notify('nothing'), ms);
      listeners.add(notify);
    });
  }

  /** This replica has ended the operation. */
  ended(outcome: Outcome): void {
    this.#notify(outcome.row.operation_id, outcome);
  }

  /** Another replica has changed its state. */
  changedElsewhere(operationId: string): void {
    this.#notify(operationId, 'elsewhere');
  }

  #notify(operationId: string, news: OutcomeNews): void {
    for (const notify of [...(this.#waiting.get(operationId) ?? [])]) notify(news);
  }
}
