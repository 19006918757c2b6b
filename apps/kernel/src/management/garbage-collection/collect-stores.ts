// SPDX-License-Identifier: Apache-2.0
import { VECDB_DELETE, VECDB_UPSERT, type TenantId } from '@writ/contract';
import { infoStoreSql } from '../../foundation/database/functions/index.ts';
import { contentDigest, type Changes } from '../../evidence/changes/index.ts';
import { callIn, type Rows } from '../../foundation/tenancy/index.ts';

/** Documents that one transaction deletes, with one record: a hundred long ones have some 100,000 chunks. */
const BATCH = 100;
const ACTOR = 'kernel';

/** Stores whose resource was removed before the given moment. */
const REMOVED = `
  SELECT s.store_id FROM info_store.store s JOIN kernel.resource r ON r.resource_id = s.store_id
  WHERE s.tenant_id = $1 AND s.removed_at IS NULL AND r.removed_at < $2 ORDER BY s.store_id LIMIT ${String(BATCH)}`;
/** When the oldest call that may still publish a change was made. */
const UNDER_WAY = `
  SELECT min(o.created_at) AS at FROM kernel.operation o
  WHERE o.tenant_id = $1 AND o.state IN ('dispatched', 'performing') AND o.tool_id = ANY ($2::text[])`;

/**
 * Deletes what no information store shows any more: replaced versions of documents, changes that no call published, and
 * stores whose resource was removed. INVARIANT (may publish): a change of a call that runs is kept, however old it is.
 */
export class CollectStores {
  readonly #changes: Changes;

  constructor(changes: Changes) {
    this.#changes = changes;
  }

  /**
   * Resolves with the number of deleted documents.
   * @param since milliseconds on the database's clock: what was removed or staged later stays
   */
  async run(tenantId: TenantId, since: number): Promise<number> {
    let documents = 0;
    for (;;) {
      const deleted = await this.#changes.upkeep(tenantId, async (rows) => {
        const removed = await rows.$queryRawUnsafe<{ store_id: string }[]>(REMOVED, tenantId, BigInt(since));
        for (const { store_id: store } of removed)
          await callIn(rows, infoStoreSql.unregisterStore, { tenant: tenantId, store });
        const before = new Date(Math.min(since, await oldestUnderWay(rows, tenantId)));
        const count = await callIn(rows, infoStoreSql.sweep, { tenant: tenantId, before, most: BATCH });
        return { value: count, records: count === 0 ? [] : [recordOf(tenantId, count)] };
      });
      documents += deleted;
      if (deleted < BATCH) return documents;
    }
  }
}

async function oldestUnderWay(rows: Rows, tenantId: string): Promise<number> {
  const tools = [VECDB_UPSERT.tool_id, VECDB_DELETE.tool_id];
  const found = await rows.$queryRawUnsafe<{ at: bigint | null }[]>(UNDER_WAY, tenantId, tools);
  const at = found[0]?.at ?? null;
  return at === null ? Number.POSITIVE_INFINITY : Number(at);
}

const recordOf = (tenantId: string, documents: number) => ({
  kind: 'change' as const,
  actor: ACTOR,
  change: { verb: 'stores_collected', subject: tenantId, digest: contentDigest({ documents }) },
});
