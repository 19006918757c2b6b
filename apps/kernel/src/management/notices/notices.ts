// SPDX-License-Identifier: Apache-2.0
import type { NoticeDrop, NoticesReply, NoticesRequest } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';

/** How long a consumer may take to store claimed notices, in milliseconds. Then they are delivered again. */
const CLAIM_MS = 30_000;

/**
 * Delivers notices to their consumer at least once, until they are dropped. Triggers write them, in the transactions
 * that they report.
 */
export class Notices {
  readonly #workers: CrossTenantPool;

  constructor(workers: CrossTenantPool) {
    this.#workers = workers;
  }

  async claim({ limit }: NoticesRequest): Promise<NoticesReply> {
    return { notices: await kernelSql.claimNotices(this.#workers.pool, { claim_ms: CLAIM_MS, rows: limit }) };
  }

  async drop({ notice_ids }: NoticeDrop): Promise<Record<string, never>> {
    await kernelSql.dropNotices(this.#workers.pool, { notices: notice_ids });
    return {};
  }
}
