// SPDX-License-Identifier: Apache-2.0
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { Pool } from '@writ/database';
import type { Repeated } from '@writ/nest-kit';
import type { SignedMemory } from '../sign/signed-memory.ts';

/** Follows the keys while the process runs, and closes at its end what it holds open. */
export class Lifetime implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #pool: Pool;
  readonly #memory: SignedMemory;
  readonly #follow: Repeated;
  readonly #beside: { stop(): Promise<void> } | null;

  /** @param beside what works on its own until it is stopped */
  constructor(pool: Pool, memory: SignedMemory, follow: Repeated, beside: { stop(): Promise<void> } | null = null) {
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
    await this.#beside?.stop();
    await this.#pool.end();
    await this.#memory.close();
  }
}
