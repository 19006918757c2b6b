// SPDX-License-Identifier: Apache-2.0
import type { BeforeApplicationShutdown, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';

/** Something that goes on by itself between start and stop. */
export interface Worker {
  start(): void;
  /** Takes nothing new; resolves when what is under way has ended. */
  stop(): Promise<void>;
}

/**
 * What begins and ends with the process: workers, those who wait before the server closes, connections after it.
 * Modules register theirs while Nest makes their providers.
 */
export class Lifetime implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  readonly #workers: Worker[] = [];
  readonly #releases: (() => void)[] = [];
  readonly #closings: (() => Promise<void>)[] = [];

  /** Workers start with the process; all of them stop at once when it does. */
  add(...workers: readonly Worker[]): void {
    this.#workers.push(...workers);
  }

  /** `release` lets go whoever waits. It is called when the process begins to stop, before its workers do. */
  onStop(release: () => void): void {
    this.#releases.push(release);
  }

  /** `close` is called after the server has closed. What was registered last closes first. */
  onClose(close: () => Promise<void>): void {
    this.#closings.unshift(close);
  }

  onApplicationBootstrap(): void {
    for (const worker of this.#workers) worker.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    for (const release of this.#releases) release();
    await Promise.all(this.#workers.map((worker) => worker.stop()));
  }

  async onApplicationShutdown(): Promise<void> {
    for (const close of this.#closings) await close();
  }
}
