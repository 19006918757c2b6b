// SPDX-License-Identifier: Apache-2.0
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';

/** Rows that one sweep takes out. */
const ROWS_MAX = 500;

/**
 * Takes out the names of outputs that were kept long enough. Nothing finds them from that moment on; their contents go
 * with the next collection.
 */
export class OutputSweeper {
  readonly #workers: CrossTenantPool;

  constructor(workers: CrossTenantPool) {
    this.#workers = workers;
  }

  /** Resolves with how many went. */
  async sweep(): Promise<number> {
    return await kernelSql.sweepOutputs(this.#workers.pool, { rows: ROWS_MAX });
  }
}
