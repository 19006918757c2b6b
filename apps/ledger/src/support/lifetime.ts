// SPDX-License-Identifier: Apache-2.0
import type { OnModuleDestroy } from '@nestjs/common';
import type { Pool } from '@writ/database';
import type { SignedMemory } from '../sign/signed-memory.ts';

/** Closes what the process holds open. */
export class Lifetime implements OnModuleDestroy {
  readonly #pool: Pool;
  readonly #memory: SignedMemory;
  readonly #beside: { stop(): Promise<void> } | null;

  /** @param beside what works on its own until it is stopped */
  constructor(pool: Pool, memory: SignedMemory, beside: { stop(): Promise<void> } | null = null) {
    this.#beside = beside;
    this.#pool = pool;
    this.#memory = memory;
  }

  async onModuleDestroy(): Promise<void> {
    await this.#beside?.stop();
    await this.#pool.end();
    await this.#memory.close();
  }
}
