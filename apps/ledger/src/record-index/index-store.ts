// SPDX-License-Identifier: Apache-2.0
import { setImmediate } from 'node:timers/promises';
import { logIdOf, type TenantId } from '@writ/contract';
import { inTransaction, int8Array, textArray, type Client, type Pool } from '@writ/database';
import { ledgerSql, type IndexProgress, type LogProgress, type NextLeaf } from '../foundation/ledger-functions.ts';
import { indexRowOf, type IndexRow } from './index-row.ts';

/**
 * Leaves of a batch. It bounds what a crash loses, and how long the locks of its logs are held. It is small, because an
 * append at that moment shares the processor with the batch.
 */
const LEAVES = 100;
/** Leaves that are read one after the other before the event loop does other work. */
const LEAVES_AT_ONCE = 20;
/** Leaves are read until they have as many bytes; one leaf has at most 16 KiB. */
const BATCH_BYTES = 1024 * 1024;

type Row = IndexRow & Pick<NextLeaf, 'log_id' | 'tenant_id'>;

/** The index of the records in tenants' logs, as far as it is filled. */
export class IndexStore {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /**
   * Indexes the next leaves of these tenants' logs, as one batch in its own transaction. Returns the progress of each
   * log, by tenant. Each log continues after its largest index. The logs are read in the order given. INVARIANT (no
   * gaps): the holder of the log's lock inserts rows in the order of leaves, so the largest index tells how far the
   * index is filled.
   */
  async indexNext(tenantIds: readonly string[]): Promise<ReadonlyMap<string, IndexProgress>> {
    return await inTransaction(
      this.#pool,
      async (client) => {
        const progress = await readLeaves(client, tenantIds);
        const leaves = progress.filter((row) => row.state === null);
        if (leaves.length > 0) await insertRows(client, await indexRowsOf(leaves));
        return new Map(progress.flatMap(({ tenant_id, state }) => (state === null ? [] : [[tenant_id, state]])));
        // A crashed server may have lost the end of the index, and nothing else of it. The next append to the log or
        // search in it indexes it again.
      },
      { asyncCommit: true },
    );
  }
}

/** How many of a log's first records the index has, read in the caller's transaction. */
export async function indexedTo(client: Client, logId: string): Promise<number> {
  const {
    rows: [row],
  } = await client.query<{ size: number }>({
    name: 'ledger.indexed_to',
    text: 'SELECT coalesce(max(leaf_index) + 1, 0) AS size FROM ledger.record_index WHERE log_id = $1',
    values: [logId],
  });
  return row?.size ?? 0;
}

async function readLeaves(client: Client, tenantIds: readonly string[]): Promise<readonly (NextLeaf | LogProgress)[]> {
  return await ledgerSql.leavesToIndex.in(client, {
    tenants: tenantIds,
    logs: tenantIds.map((tenantId) => logIdOf(tenantId as TenantId)),
    leaves: LEAVES,
    bytes: BATCH_BYTES,
  });
}

/**
 * Reading a statement takes some 50 µs. Appends run between statements: a whole batch would delay them by tens of
 * milliseconds.
 */
async function indexRowsOf(leaves: readonly NextLeaf[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const leaf of leaves) {
    rows.push({ ...indexRowOf(leaf), log_id: leaf.log_id, tenant_id: leaf.tenant_id });
    if (rows.length % LEAVES_AT_ONCE === 0) await setImmediate();
  }
  return rows;
}

async function insertRows(client: Client, rows: readonly Row[]): Promise<void> {
  const texts = (of: (row: Row) => string | null): Buffer => textArray(rows.map(of));
  await client.query({
    name: 'ledger.index_records',
    text: `INSERT INTO ledger.record_index (log_id, tenant_id, leaf_index, record_id, kind, operation_id, phase, recorded_at, is_drawn,
       agent_id, tool_id, session_id, verdict, tx_outcome, fault_code, risk_score, resources, words)
     SELECT l, t, i, r, k, o, p, a, d, agent, tool, session, verdict, outcome, fault, risk,
         array_to_tsvector(ARRAY(SELECT jsonb_array_elements_text(resources::jsonb))), array_to_tsvector(ARRAY(SELECT jsonb_array_elements_text(terms::jsonb))) || to_tsvector('simple', words)
       FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::boolean[], $10::text[], $11::text[], $12::text[],
         $13::text[], $14::text[], $15::text[], $16::double precision[], $17::text[], $18::text[], $19::text[])
         AS x(l, t, i, r, k, o, p, a, d, agent, tool, session, verdict, outcome, fault, risk, resources, words, terms)
     ON CONFLICT DO NOTHING`,
    values: [
      texts((row) => row.log_id),
      texts((row) => row.tenant_id),
      int8Array(rows.map((row) => row.leaf_index)),
      texts((row) => row.record_id),
      texts((row) => row.kind),
      texts((row) => row.operation_id),
      texts((row) => row.phase),
      int8Array(rows.map((row) => row.recorded_at)),
      rows.map((row) => row.is_drawn),
      texts((row) => row.agent_id),
      texts((row) => row.tool_id),
      texts((row) => row.session_id),
      texts((row) => row.verdict),
      texts((row) => row.tx_outcome),
      texts((row) => row.fault_code),
      rows.map((row) => row.risk_score),
      texts((row) => JSON.stringify(row.resources)),
      texts((row) => row.words),
      texts((row) => JSON.stringify(row.terms)),
    ],
  });
}
