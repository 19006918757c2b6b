// SPDX-License-Identifier: Apache-2.0
import type { BeforeApplicationShutdown, OnApplicationShutdown } from '@nestjs/common';

/** What ends with the process: those who wait before the door closes, connections after it. */
export class Lifetime implements BeforeApplicationShutdown, OnApplicationShutdown {
  readonly #release: () => void;
  readonly #close: () => Promise<void>;

  constructor(release: () => void, close: () => Promise<void>) {
    this.#release = release;
    this.#close = close;
  }

  beforeApplicationShutdown(): void {
    this.#release();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#close();
  }
}
