// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  type ErasureView,
  type TextErasureOrdersReply,
  type TextErasureOrdersRequest,
  type TextsErased,
  type TextsAnnounced,
} from '@writ/contract';
import type { Changes } from '../changes/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { newId } from '@writ/nest-kit';
import type { TenantPool, CrossTenantPool } from '../../foundation/database/pools.ts';
import { callIn } from '../../foundation/tenancy/index.ts';
import { textsRecord } from './erasure-record.ts';
import { erasureView } from './erasure-row.ts';

/**
 * Orders to erase the texts of conversations, for the service that stores them. Each order is handed out until its
 * texts are gone. INVARIANT (told first): the record of what is about to be erased is durable when the report of it is
 * answered, and nothing is erased before.
 */
export class TextErasureOrders {
  readonly #workers: CrossTenantPool;
  readonly #tenants: TenantPool;
  readonly #changes: Changes;

  constructor(workers: CrossTenantPool, tenants: TenantPool, changes: Changes) {
    this.#workers = workers;
    this.#tenants = tenants;
    this.#changes = changes;
  }

  /** The orders of all tenants whose texts aren't gone. */
  async orders({ limit }: TextErasureOrdersRequest): Promise<TextErasureOrdersReply> {
    return { orders: await kernelSql.textOrders(this.#workers.pool, { rows: limit }) };
  }

  /**
   * Records what is about to be erased. Each round is recorded once, however often it is reported. A round that was not
   * ordered is refused.
   */
  async recordRound({
    tenant_id,
    erasure_id,
    round,
    session_ids,
    run_ids,
    fork_ids,
  }: TextsAnnounced): Promise<Record<string, never>> {
    return await this.#changes.upkeep(tenant_id, async (rows) => {
      const record_id = newId('record');
      const erasure = await callIn(rows, kernelSql.tellTexts, {
        tenant: tenant_id,
        erasure: erasure_id,
        round,
        sessions: session_ids.length,
        runs: run_ids.length,
        record: record_id,
      });
      if (erasure !== null)
        return { value: {}, records: [textsRecord(record_id, { session_ids, run_ids, fork_ids, erasure })] };
      // INVARIANT (told first): the reporter of a round that isn't on the record must not take it for recorded.
      const reported = await rows.erasure.findFirst({
        where: { tenant_id, erasure_id },
        select: { texts_rounds: true },
      });
      if (reported === null || reported.texts_rounds < round)
        throw new Fault('conflict', `no erasure ordered round ${String(round)} of \`${erasure_id}\``);
      return { value: {}, records: [] };
    });
  }

  /** Marks the texts as gone: nothing is left of them. Faults: `not_found`. */
  async markGone({ tenant_id, erasure_id }: TextsErased): Promise<ErasureView> {
    const row = await kernelSql.textsGone(this.#tenants.pool, { tenant: tenant_id, erasure: erasure_id });
    if (row === null) throw new Fault('not_found');
    return erasureView(row);
  }
}
