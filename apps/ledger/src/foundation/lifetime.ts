// SPDX-License-Identifier: Apache-2.0
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { Pool } from '@writ/database';
import type { Repeated } from '@writ/nest-kit';
import type { SignedMemory } from '../signing/signed-memory.ts';

/** Follows the keys while the process runs, and closes at its end what it holds open. */
export class Lifetime implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #pool: Pool;
  readonly #memory: SignedMemory;
  readonly #follow: Repeated;
  readonly #beside: readonly { stop(): Promise<void> }[];

  /** @param beside what works on its own until it is stopped */
  constructor(pool: Pool, memory: SignedMemory, follow: Repeated, beside: readonly { stop(): Promise<void> }[] = []) {
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
