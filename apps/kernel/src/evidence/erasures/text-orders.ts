// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  type ErasureView,
  type TextOrders,
  type TextOrdersTake,
  type TextsGone,
  type TextsTold,
} from '@writ/contract';
import type { Changes } from '../changes/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { newId } from '@writ/nest-kit';
import type { TenantPool, CrossTenantPool } from '../../foundation/database/pools.ts';
import { callIn } from '../../foundation/tenancy/index.ts';
import { textsRecord } from './erasure-record.ts';
import { erasureView } from './erasure-row.ts';

/**
 * What erasures ask of whoever keeps what was said in sessions: handed out until it is gone. INVARIANT (told first):
 * what is about to go is on the record when the telling of it is answered, and nothing goes before.
 */
export class ErasedTexts {
  readonly #workers: CrossTenantPool;
  readonly #tenants: TenantPool;
  readonly #changes: Changes;

  constructor(workers: CrossTenantPool, tenants: TenantPool, changes: Changes) {
    this.#workers = workers;
    this.#tenants = tenants;
    this.#changes = changes;
  }

  /** Of all tenants: those whose texts aren't gone. */
  async orders({ limit }: TextOrdersTake): Promise<TextOrders> {
    return { orders: await kernelSql.textOrders(this.#workers.pool, { rows: limit }) };
  }

  /**
   * Records what is about to go. Each round is recorded once, however often it is told; what nobody ordered is told to
   * nobody.
   */
  async tell({
    tenant_id,
    erasure_id,
    round,
    session_ids,
    run_ids,
    fork_ids,
  }: TextsTold): Promise<Record<string, never>> {
    return await this.#changes.make(tenant_id, async (rows) => {
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
      // INVARIANT (told first): whoever tells of a round that isn't on the record must not take it for told.
      const told = await rows.erasure.findFirst({ where: { tenant_id, erasure_id }, select: { texts_rounds: true } });
      if (told === null || told.texts_rounds < round)
        throw new Fault('conflict', `nobody asked for round ${String(round)} of \`${erasure_id}\``);
      return { value: {}, records: [] };
    });
  }

  /** Nothing is left of it. Faults: `not_found`. */
  async gone({ tenant_id, erasure_id }: TextsGone): Promise<ErasureView> {
    const row = await kernelSql.textsGone(this.#tenants.pool, { tenant: tenant_id, erasure: erasure_id });
    if (row === null) throw new Fault('not_found');
    return erasureView(row);
  }
}
