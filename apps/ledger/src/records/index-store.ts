// SPDX-License-Identifier: Apache-2.0
import { setImmediate } from 'node:timers/promises';
import { logIdOf, type TenantId } from '@writ/contract';
import { inTenant, int8Array, textArray, type Client, type Pool } from '@writ/database';
import { drawRow, type IndexedLeaf, type IndexRow } from './index-row.ts';

/** Leaves of a batch: what is lost by a death, and how long the lock of a log is held. */
const LEAVES = 500;
/** Leaves that are read one after the other before anything else has its turn. */
const LEAVES_AT_ONCE = 20;
/** Leaves of 16 KiB are read until they are as many bytes. */
const BATCH_BYTES = 1024 * 1024;
/** Told apart from the lock of appends, which is never waited for. */
const INDEX_LOCK = 20_261;

/** What became of a batch: whether there is more, or another replica is at it. */
export type Batch = 'more' | 'done' | 'taken';

/** The index of the records of a tenant's log, as far as it is drawn. */
export class IndexStore {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /**
   * Draws the next leaves of a tenant's log, in one transaction of its own. Where it begins is what is there already.
   * INVARIANT (no gaps): rows are inserted in the order of leaves by who holds the log's lock, so that the largest index says how far it is drawn.
   */
  async drawNext(tenantId: string): Promise<Batch> {
    const logId = logIdOf(tenantId as TenantId);
    return await inTenant(this.#pool, tenantId, async (client) => {
      const { rows: [lock] } = await client.query<{ taken: boolean }>({ name: 'ledger.index_lock', text: 'SELECT pg_try_advisory_xact_lock(hashtextextended($1, $2)) AS taken', values: [logId, INDEX_LOCK] });
      if (lock?.taken !== true) return 'taken';
      const leaves = await readLeaves(client, logId, await indexedTo(client, logId));
      if (leaves.length === 0) return 'done';
      await insertRows(client, logId, tenantId, await drawRows(leaves));
      return leaves.length === LEAVES ? 'more' : 'done';
      // What a server that died has forgotten of the index is missing at its end alone, and is drawn again by whoever appends to the log or asks it.
    }, { unawaited: true });
  }
}

/** How many records of a log the index has: the first so many. Read in the caller's transaction. */
export async function indexedTo(client: Client, logId: string): Promise<number> {
  const { rows: [row] } = await client.query<{ size: number }>({ name: 'ledger.indexed_to', text: 'SELECT coalesce(max(leaf_index) + 1, 0) AS size FROM ledger.record_index WHERE log_id = $1', values: [logId] });
  return row?.size ?? 0;
}

async function readLeaves(client: Client, logId: string, from: number): Promise<readonly IndexedLeaf[]> {
  const { rows } = await client.query<IndexedLeaf>({
    name: 'ledger.leaves_to_index',
    text: `SELECT leaf_index, record_id, kind, operation_id, phase, payload, recorded_at FROM (
       SELECT *, sum(length(payload)) OVER (ORDER BY leaf_index) - length(payload) AS before
         FROM ledger.leaf WHERE log_id = $1 AND leaf_index >= $2 AND leaf_index < $2 + $3) x
      WHERE before < $4 ORDER BY leaf_index`,
    values: [logId, from, LEAVES, BATCH_BYTES],
  });
  return rows;
}

/** Reading a statement takes some 50 µs. Appends come in between: a whole batch would hold them up for tens of milliseconds. */
async function drawRows(leaves: readonly IndexedLeaf[]): Promise<IndexRow[]> {
  const rows: IndexRow[] = [];
  for (const leaf of leaves) {
    rows.push(drawRow(leaf));
    if (rows.length % LEAVES_AT_ONCE === 0) await setImmediate();
  }
  return rows;
}

async function insertRows(client: Client, logId: string, tenantId: string, rows: readonly IndexRow[]): Promise<void> {
  const texts = (of: (row: IndexRow) => string | null): Buffer => textArray(rows.map(of));
  await client.query({
    name: 'ledger.index_records',
    text: `INSERT INTO ledger.record_index (log_id, tenant_id, leaf_index, record_id, kind, operation_id, phase, recorded_at, is_drawn,
       agent_id, tool_id, session_id, verdict, tx_outcome, fault_code, risk_score, resources, words)
     SELECT $1, $2, i, r, k, o, p, a, d, agent, tool, session, verdict, outcome, fault, risk,
         array_to_tsvector(ARRAY(SELECT jsonb_array_elements_text(resources::jsonb))), array_to_tsvector(ARRAY(SELECT jsonb_array_elements_text(terms::jsonb))) || to_tsvector('simple', words)
       FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::boolean[], $10::text[], $11::text[], $12::text[],
         $13::text[], $14::text[], $15::text[], $16::double precision[], $17::text[], $18::text[], $19::text[])
         AS x(i, r, k, o, p, a, d, agent, tool, session, verdict, outcome, fault, risk, resources, words, terms)
     ON CONFLICT DO NOTHING`,
    values: [logId, tenantId, int8Array(rows.map((row) => row.leaf_index)), texts((row) => row.record_id), texts((row) => row.kind), texts((row) => row.operation_id), texts((row) => row.phase),
      int8Array(rows.map((row) => row.recorded_at)), rows.map((row) => row.is_drawn), texts((row) => row.agent_id), texts((row) => row.tool_id), texts((row) => row.session_id),
      texts((row) => row.verdict), texts((row) => row.tx_outcome), texts((row) => row.fault_code), rows.map((row) => row.risk_score),
      texts((row) => JSON.stringify(row.resources)), texts((row) => row.words), texts((row) => JSON.stringify(row.terms))],
  });
}
