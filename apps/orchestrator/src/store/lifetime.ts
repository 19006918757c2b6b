// SPDX-License-Identifier: Apache-2.0
import type { BeforeApplicationShutdown, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';

/** Something that goes on by itself between start and stop. */
export interface Worker {
  start(): void;
  /** Takes nothing new; resolves when what is under way has ended. */
  stop(): Promise<void>;
}

/** What begins and ends with the process: workers, those who wait before the door closes, connections after it. */
export class Lifetime implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  readonly #workers: readonly Worker[];
  readonly #release: () => void;
  readonly #close: () => Promise<void>;

  constructor(workers: readonly Worker[], release: () => void, close: () => Promise<void>) {
    this.#workers = workers;
    this.#release = release;
    this.#close = close;
  }

  onApplicationBootstrap(): void {
    for (const worker of this.#workers) worker.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#release();
    await Promise.all(this.#workers.map((worker) => worker.stop()));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#close();
  }
}
