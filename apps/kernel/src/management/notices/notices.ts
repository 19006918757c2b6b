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

  /**
   * INVARIANT (readable to its reader): an orchestrator of the version before refuses a reply that has a notice about
   * an MCP server. It would get no notice of any tenant any more.
   */
  async claim({ limit, mcp_servers }: NoticesRequest): Promise<NoticesReply> {
    const claim = mcp_servers === true ? kernelSql.claimNotices : kernelSql.takeNotices;
    return { notices: await claim(this.#workers.pool, { claim_ms: CLAIM_MS, rows: limit }) };
  }

  async drop({ notice_ids }: NoticeDrop): Promise<Record<string, never>> {
    await kernelSql.dropNotices(this.#workers.pool, { notices: notice_ids });
    return {};
  }
}
