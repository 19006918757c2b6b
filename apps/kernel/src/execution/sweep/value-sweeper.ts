// SPDX-License-Identifier: Apache-2.0
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';

/** Rows that one sweep removes. */
const ROWS_MAX = 500;

/**
 * Removes values that people gave for one use that has ended, or for a session that is over. They can't be found even
 * before.
 */
export class ValueSweeper {
  readonly #workers: CrossTenantPool;

  constructor(workers: CrossTenantPool) {
    this.#workers = workers;
  }

  /** Resolves with how many were removed. */
  async sweep(): Promise<number> {
    return await kernelSql.sweepValues(this.#workers.pool, { rows: ROWS_MAX });
  }
}
