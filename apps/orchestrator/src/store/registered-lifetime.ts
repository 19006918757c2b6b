// SPDX-License-Identifier: Apache-2.0
import { Lifetime, type Worker } from '@writ/nest-kit';

/**
 * Starts and stops resources with the process: workers, waiting requests that end before the server closes, and
 * connections that close after it. Modules register theirs while Nest creates their providers.
 */
export class RegisteredLifetime extends Lifetime {
  readonly #workers: Worker[];
  readonly #releases: (() => void)[];
  readonly #closings: (() => Promise<void>)[];

  constructor() {
    const [workers, releases, closings]: [Worker[], (() => void)[], (() => Promise<void>)[]] = [[], [], []];
    super({
      workers,
      drain: async (stopWorkers) => {
        for (const release of releases) release();
        await stopWorkers();
      },
      close: async () => {
        for (const close of closings) await close();
      },
    });
    [this.#workers, this.#releases, this.#closings] = [workers, releases, closings];
  }

  /** Workers start with the process; all of them stop at once when it does. */
  add(...workers: readonly Worker[]): void {
    this.#workers.push(...workers);
  }

  /** `release` ends waiting requests. It is called when the process begins to stop, before its workers stop. */
  onStop(release: () => void): void {
    this.#releases.push(release);
  }

  /** `close` is called after the server has closed. What was registered last closes first. */
  onClose(close: () => Promise<void>): void {
    this.#closings.unshift(close);
  }
}
