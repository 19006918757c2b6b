// SPDX-License-Identifier: Apache-2.0
import type { NoticeDrop, NoticesTaken, NoticeTake } from '@writ/contract';
import { callKernel, type CrossTenantPool } from '../store/index.ts';

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
    return {
      notices: await callKernel<NoticesTaken['notices']>(this.#workers.pool, 'take_notices', [CLAIM_MS, limit]),
    };
  }

  async drop({ notice_ids }: NoticeDrop): Promise<Record<string, never>> {
    await callKernel(this.#workers.pool, 'drop_notices', [notice_ids]);
    return {};
  }
}
