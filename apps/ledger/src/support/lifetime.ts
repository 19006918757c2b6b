// SPDX-License-Identifier: Apache-2.0
import type { OnModuleDestroy } from '@nestjs/common';
import type { Pool } from '@writ/database';
import type { SignedMemory } from '../sign/signed-memory.ts';

/** Closes what the process holds open. */
export class Lifetime implements OnModuleDestroy {
  readonly #pool: Pool;
  readonly #memory: SignedMemory;

  constructor(pool: Pool, memory: SignedMemory) {
    this.#pool = pool;
    this.#memory = memory;
  }

  async onModuleDestroy(): Promise<void> {
    await this.#pool.end();
    await this.#memory.close();
  }
}
