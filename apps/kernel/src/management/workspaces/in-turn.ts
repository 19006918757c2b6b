// SPDX-License-Identifier: Apache-2.0

/**
 * Lets work on the same thing wait for each other, in the order of asking: those who would lose the race anyhow don't
 * compute for nothing.
 */
export class InTurn {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs the work when what was asked before for the same name has settled. */
  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.#last.set(name, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(name) === turn) this.#last.delete(name);
    }
  }
}
