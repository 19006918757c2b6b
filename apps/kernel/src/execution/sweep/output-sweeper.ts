// SPDX-License-Identifier: Apache-2.0
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';

/** Rows that one sweep removes. */
const ROWS_MAX = 500;

/**
 * Removes the references to outputs whose time is over. From that moment on they can't be found; the next garbage
 * collection deletes their contents.
 */
export class OutputSweeper {
  readonly #workers: CrossTenantPool;

  constructor(workers: CrossTenantPool) {
    this.#workers = workers;
  }

  /** Resolves with how many were removed. */
  async sweep(): Promise<number> {
    return await kernelSql.sweepOutputs(this.#workers.pool, { rows: ROWS_MAX });
  }
}
