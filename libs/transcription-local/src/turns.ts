// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';

type Release = () => void;

/** Lets a number of calls run at the same time, and others wait in order. */
export class Turns {
  readonly #waitingMax: number;
  readonly #waiting = new Set<Release>();
  #free: number;

  constructor(running: number, waitingMax: number) {
    this.#free = running;
    this.#waitingMax = waitingMax;
  }

  /**
   * Resolves when it is the caller's turn, which the result ends.
   *
   * @throws Fault `overloaded` if too many wait; the reason of the signal if it is aborted before
   */
  async take(signal: AbortSignal): Promise<Release> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(signal);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const [next] = this.#waiting;
      if (next === undefined) this.#free += 1;
      else {
        this.#waiting.delete(next);
        next();
      }
    };
  }

  async #wait(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size >= this.#waitingMax)
      throw new Fault('overloaded', `${this.#waitingMax} transcriptions wait already; try again later`);
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.delete(onTurn);
        reject(signal.reason as Error);
      };
      const onTurn = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      this.#waiting.add(onTurn);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}
