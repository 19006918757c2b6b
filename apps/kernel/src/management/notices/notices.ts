// SPDX-License-Identifier: Apache-2.0
import type { NoticeDrop, NoticesTaken, NoticeTake } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';

/** How long who took notices may need to keep them elsewhere, in milliseconds; then they are handed out again. */
const CLAIM_MS = 30_000;

/**
 * Hands notices to whoever delivers them: each at least once, until it is dropped. Triggers write them, in the
 * transactions that they tell of.
 */
export class Notices {
  readonly #workers: CrossTenantPool;

  constructor(workers: CrossTenantPool) {
    this.#workers = workers;
  }

  async take({ limit }: NoticeTake): Promise<NoticesTaken> {
    return { notices: await kernelSql.takeNotices(this.#workers.pool, { claim_ms: CLAIM_MS, rows: limit }) };
  }

  async drop({ notice_ids }: NoticeDrop): Promise<Record<string, never>> {
    await kernelSql.dropNotices(this.#workers.pool, { notices: notice_ids });
    return {};
  }
}
