// SPDX-License-Identifier: Apache-2.0

/**
 * Serializes work on the same name, in the order of the calls. So tasks that would lose the race don't compute in vain.
 */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs the work when all earlier work for the same name has settled. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const task = before.then(work, work);
    this.#last.set(name, task);
    try {
      return await task;
    } finally {
      if (this.#last.get(name) === task) this.#last.delete(name);
    }
  }
}
