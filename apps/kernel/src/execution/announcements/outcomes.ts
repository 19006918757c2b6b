// SPDX-License-Identifier: Apache-2.0
import type { OperationRow } from '../../foundation/rows/operation-row.ts';

/** An operation that has ended, as its last transaction left it, with its result still encrypted. */
export interface Outcome {
  readonly row: OperationRow;
  readonly sealedResult: Buffer | null;
}

/** `elsewhere`: another replica has moved it, and the database says where to. */
export type Heard = Outcome | 'elsewhere' | 'nothing';

type Tell = (heard: Heard) => void;

/**
 * Lets whoever proposed a call wait for its end where it was admitted: most calls end within milliseconds, and then one
 * answer says it all.
 */
export class Outcomes {
  readonly #waiting = new Map<string, Set<Tell>>();
  readonly #waitersMax: number;

  /** @param waitersMax more than these are told `nothing` at once: whoever waits here keeps a request open */
  constructor(waitersMax: number) {
    this.#waitersMax = waitersMax;
  }

  /**
   * Resolves with what is heard of the operation first, or with `nothing` after so many milliseconds. Begin before it
   * can end.
   */
  async wait(operationId: string, ms: number): Promise<Heard> {
    if (ms <= 0 || this.#waiting.size >= this.#waitersMax) return 'nothing';
    const tellers = this.#waiting.get(operationId) ?? new Set<Tell>();
    this.#waiting.set(operationId, tellers);
    return await new Promise((resolve) => {
      const tell: Tell = (heard) => {
        clearTimeout(timer);
        tellers.delete(tell);
        if (tellers.size === 0) this.#waiting.delete(operationId);
        resolve(heard);
      };
      const timer = setTimeout(() => tell('nothing'), ms);
      tellers.add(tell);
    });
  }

  /** This replica has ended the operation. */
  ended(outcome: Outcome): void {
    this.#tell(outcome.row.operation_id, outcome);
  }

  /** Another replica has changed its state. */
  changedElsewhere(operationId: string): void {
    this.#tell(operationId, 'elsewhere');
  }

  #tell(operationId: string, heard: Heard): void {
    for (const tell of [...(this.#waiting.get(operationId) ?? [])]) tell(heard);
  }
}
