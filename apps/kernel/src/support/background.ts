// SPDX-License-Identifier: Apache-2.0
import type { OnApplicationBootstrap, OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common';

/** Something that goes on by itself between start and stop. */
export interface Worker {
  start(): void;
  /** Takes nothing new; resolves when what is under way has ended. */
  stop(): Promise<void>;
}

/** What the process does by itself: begins once everything is wired, ends before connections close. */
export class Background implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  readonly #workers: readonly Worker[];
  readonly #close: () => Promise<void>;

  /** `close` ends what the workers and the use cases stand on. */
  constructor(workers: readonly Worker[], close: () => Promise<void>) {
    this.#workers = workers;
    this.#close = close;
  }

  onApplicationBootstrap(): void {
    for (const worker of this.#workers) worker.start();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#close();
  }
}
