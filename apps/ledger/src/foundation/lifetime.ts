// SPDX-License-Identifier: Apache-2.0
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { Pool } from '@writ/database';
import type { Repeated } from '@writ/nest-kit';

/** A file or a connection that is held open. */
interface Closing {
  close(): Promise<void>;
}

/** Follows the keys while the process runs, and closes at its end what it holds open. */
export class Lifetime implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #pool: Pool;
  readonly #memory: Closing;
  readonly #follow: Repeated;
  readonly #beside: readonly { stop(): Promise<void> }[];

  /** @param beside what works on its own until it is stopped */
  constructor(pool: Pool, memory: Closing, follow: Repeated, beside: readonly { stop(): Promise<void> }[] = []) {
    this.#beside = beside;
    this.#pool = pool;
    this.#memory = memory;
    this.#follow = follow;
  }

  onApplicationBootstrap(): void {
    this.#follow.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.#follow.stop();
    await Promise.all(this.#beside.map((each) => each.stop()));
    await this.#pool.end();
    await this.#memory.close();
  }
}
