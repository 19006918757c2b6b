// SPDX-License-Identifier: Apache-2.0
import type { connect } from '@writ/database';
import type { TileId } from '@writ/merkle';

export type Connection = Awaited<ReturnType<typeof connect>>;

export interface LeafRow {
  readonly leaf_index: number;
  readonly tenant_id: string;
  readonly record_id: string;
  readonly kind: string;
  readonly operation_id: string | null;
  readonly phase: string | null;
  readonly payload: Buffer;
  readonly keyid: string;
  readonly sig: Buffer;
  readonly recorded_at: number;
}

/** A root, with the checkpoint of its size if there is one. */
export interface RootRow {
  readonly tree_size: number;
  readonly tenant_id: string;
  readonly root: Buffer;
  readonly frontier: Buffer;
  /** null in a root from before ledger migration 0014, whose partial tile of leaves is a separate row */
  readonly edge_hashes: Buffer | null;
  readonly note: string | null;
  readonly note_tenant_id: string | null;
}

export interface TileRow {
  readonly level: number;
  readonly tile_index: number;
  readonly width: number;
  readonly tenant_id: string;
  readonly hashes: Buffer;
}

/** Rows have at most 16 KiB: a page is a few MiB. */
const LEAVES_AT_ONCE = 500;
const ROOTS_AT_ONCE = 200;
/** A page of roots needs few tiles for each; this limits the memory for tiles that are no longer needed. */
const SURPLUS_SHOWN = 50;

/** Every log that any table mentions. */
export async function readLogIds(client: Connection): Promise<string[]> {
  const { rows } = await client.query<{ log_id: string }>(`
    SELECT log_id FROM ledger.root UNION SELECT log_id FROM ledger.leaf UNION SELECT log_id FROM ledger.tile UNION SELECT log_id FROM ledger.checkpoint
    UNION SELECT log_id FROM ledger.cosignature UNION SELECT log_id FROM ledger.record_index ORDER BY 1`);
  return rows.map(({ log_id }) => log_id);
}

/** The leaves of a log in order, page by page. */
export async function* readLeaves(client: Connection, logId: string): AsyncGenerator<LeafRow, undefined> {
  let after = '-1';
  for (;;) {
    const { rows } = await client.query<LeafRow>(
      `
      SELECT leaf_index, tenant_id, record_id, kind, operation_id, phase, payload, keyid, sig, recorded_at
        FROM ledger.leaf WHERE log_id = $1 AND leaf_index > $2 ORDER BY leaf_index LIMIT ${LEAVES_AT_ONCE}`,
      [logId, after],
    );
    yield* rows;
    if (rows.length < LEAVES_AT_ONCE) return undefined;
    after = String(rows.at(-1)?.leaf_index);
  }
}

/** The roots of a log by size, in pages. */
export async function* readRootPages(client: Connection, logId: string): AsyncGenerator<RootRow[]> {
  let after = '0';
  for (;;) {
    const { rows } = await client.query<RootRow>(
      `
      SELECT r.tree_size, r.tenant_id, r.root, r.frontier, r.edge_hashes, c.note, c.tenant_id AS note_tenant_id
        FROM ledger.root r LEFT JOIN ledger.checkpoint c ON c.log_id = r.log_id AND c.tree_size = r.tree_size
       WHERE r.log_id = $1 AND r.tree_size > $2 ORDER BY r.tree_size LIMIT ${ROOTS_AT_ONCE}`,
      [logId, after],
    );
    if (rows.length > 0) yield rows;
    if (rows.length < ROOTS_AT_ONCE) return;
    after = String(rows.at(-1)?.tree_size);
  }
}

/** The stored ones among the tiles. */
export async function readTiles(client: Connection, logId: string, tiles: readonly TileId[]): Promise<TileRow[]> {
  const { rows } = await client.query<TileRow>(
    `
    SELECT t.level, t.tile_index, t.width, t.tenant_id, t.hashes
      FROM unnest($2::smallint[], $3::bigint[], $4::smallint[]) AS wanted(level, tile_index, width)
      JOIN ledger.tile t ON t.log_id = $1 AND t.level = wanted.level AND t.tile_index = wanted.tile_index AND t.width = wanted.width`,
    [logId, tiles.map(({ level }) => level), tiles.map(({ index }) => index), tiles.map(({ width }) => width)],
  );
  return rows;
}

/**
 * Tiles without a root. A tile is stored together with the root that first gives it this width, unless the root itself
 * has the hashes. Numeric, since the levels in a tampered row may exceed 64 bits.
 */
export async function readSurplusTiles(client: Connection, logId: string): Promise<Omit<TileRow, 'hashes'>[]> {
  const { rows } = await client.query<Omit<TileRow, 'hashes'>>(
    `
    SELECT t.level, t.tile_index, t.width, t.tenant_id FROM ledger.tile t
     WHERE t.log_id = $1 AND NOT EXISTS (
       SELECT 1 FROM ledger.root r WHERE r.log_id = t.log_id
          AND r.tree_size >= (t.tile_index * 256 + t.width) * power(256::numeric, t.level)
          AND (t.width = 256 OR r.tree_size < (t.tile_index * 256 + t.width + 1) * power(256::numeric, t.level))
          AND (t.width = 256 OR t.level > 0 OR r.edge_hashes IS NULL))
     ORDER BY 1, 2, 3 LIMIT ${SURPLUS_SHOWN}`,
    [logId],
  );
  return rows;
}

/** Sizes of checkpoints without a stored root. */
export async function readRootlessCheckpoints(client: Connection, logId: string): Promise<number[]> {
  const { rows } = await client.query<{ tree_size: number }>(
    `
    SELECT c.tree_size FROM ledger.checkpoint c WHERE c.log_id = $1
       AND NOT EXISTS (SELECT 1 FROM ledger.root r WHERE r.log_id = c.log_id AND r.tree_size = c.tree_size) ORDER BY 1 LIMIT ${SURPLUS_SHOWN}`,
    [logId],
  );
  return rows.map(({ tree_size }) => tree_size);
}

/** A witness's cosignature, with the note of its checkpoint; null where there is none. */
export interface CosignatureRow {
  readonly tree_size: number;
  readonly tenant_id: string;
  readonly witness: string;
  readonly key_hash: string;
  readonly line: string;
  readonly note: string | null;
}

/** The cosignatures of a log, page by page. */
export async function* readCosignatures(client: Connection, logId: string): AsyncGenerator<CosignatureRow> {
  let after: readonly [string, string, string] = ['-9007199254740991', '', ''];
  for (;;) {
    const { rows } = await client.query<CosignatureRow>(
      `
      SELECT s.tree_size, s.tenant_id, s.witness, s.key_hash, s.line, c.note
        FROM ledger.cosignature s LEFT JOIN ledger.checkpoint c ON c.log_id = s.log_id AND c.tree_size = s.tree_size
       WHERE s.log_id = $1 AND (s.tree_size, s.witness, s.key_hash) > ($2::bigint, $3, $4) ORDER BY s.tree_size, s.witness, s.key_hash LIMIT ${ROOTS_AT_ONCE}`,
      [logId, ...after],
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROOTS_AT_ONCE) return;
    after = [String(last.tree_size), last.witness, last.key_hash];
  }
}

/** Operations with more than one outcome. */
export async function readDoubleOutcomes(client: Connection, logId: string): Promise<string[]> {
  const { rows } = await client.query<{ operation_id: string }>(
    `
    SELECT operation_id FROM ledger.leaf WHERE log_id = $1 AND operation_id IS NOT NULL AND phase = 'outcome' AND kind = 'tool_call'
     GROUP BY operation_id HAVING count(*) > 1 ORDER BY 1 LIMIT ${SURPLUS_SHOWN}`,
    [logId],
  );
  return rows.map(({ operation_id }) => operation_id);
}

/** The payloads of records, by their ids. */
export async function readPayloads(
  client: Connection,
  logId: string,
  recordIds: readonly string[],
): Promise<Map<string, Buffer>> {
  const { rows } = await client.query<{ record_id: string; payload: Buffer }>(
    'SELECT record_id, payload FROM ledger.leaf WHERE log_id = $1 AND record_id = ANY($2::text[])',
    [logId, recordIds],
  );
  return new Map(rows.map(({ record_id, payload }) => [record_id, payload]));
}

/** A row of the record index, with lexemes in the database's form. */
export interface IndexRow {
  readonly leaf_index: number;
  readonly tenant_id: string;
  readonly record_id: string;
  readonly kind: string;
  readonly operation_id: string | null;
  readonly phase: string | null;
  readonly recorded_at: number;
  readonly is_drawn: boolean;
  readonly agent_id: string | null;
  readonly tool_id: string | null;
  readonly session_id: string | null;
  readonly verdict: string | null;
  readonly tx_outcome: string | null;
  readonly fault_code: string | null;
  readonly risk_score: number | null;
  readonly resources: string;
  readonly words: string;
}

/** The index of a log in order, page by page. */
export async function* readIndexRows(client: Connection, logId: string): AsyncGenerator<IndexRow, undefined> {
  let after = '-9007199254740991';
  for (;;) {
    const { rows } = await client.query<IndexRow>(
      `
      SELECT leaf_index, tenant_id, record_id, kind, operation_id, phase, recorded_at, is_drawn, agent_id, tool_id, session_id, verdict, tx_outcome, fault_code, risk_score,
             resources::text AS resources, words::text AS words
        FROM ledger.record_index WHERE log_id = $1 AND leaf_index > $2 ORDER BY leaf_index LIMIT ${LEAVES_AT_ONCE}`,
      [logId, after],
    );
    yield* rows;
    if (rows.length < LEAVES_AT_ONCE) return undefined;
    after = String(rows.at(-1)?.leaf_index);
  }
}

/** Ids and words as lexemes, in the database's form. */
export async function lexemesOf(
  client: Connection,
  texts: readonly {
    readonly resources: readonly string[];
    readonly words: string;
    readonly terms: readonly string[];
  }[],
): Promise<{ resources: string; words: string }[]> {
  const { rows } = await client.query<{ resources: string; words: string }>(
    `
    SELECT array_to_tsvector(ARRAY(SELECT jsonb_array_elements_text(r::jsonb)))::text AS resources, (array_to_tsvector(ARRAY(SELECT jsonb_array_elements_text(t::jsonb))) || to_tsvector('simple', w))::text AS words
      FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS x(r, w, t, n) ORDER BY n`,
    [
      texts.map(({ resources }) => JSON.stringify(resources)),
      texts.map(({ words }) => words),
      texts.map(({ terms }) => JSON.stringify(terms)),
    ],
  );
  return rows;
}
