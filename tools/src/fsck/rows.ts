// SPDX-License-Identifier: Apache-2.0
import pg from 'pg';

/** The raw rows of one log. Nothing here is trusted: that is what is being checked. */
export interface LeafRow {
  readonly leaf_index: string; readonly tenant_id: string; readonly record_id: string; readonly kind: string; readonly operation_id: string | null;
  readonly phase: string | null; readonly payload: Buffer; readonly keyid: string; readonly sig: Buffer; readonly recorded_at: string;
}
export interface TileRow { readonly level: number; readonly tile_index: string; readonly width: number; readonly tenant_id: string; readonly hashes: Buffer }
export interface RootRow { readonly tree_size: string; readonly tenant_id: string; readonly root: Buffer; readonly frontier: Buffer }
export interface CheckpointRow { readonly tree_size: string; readonly tenant_id: string; readonly note: string }

/** Leaves read at once: bounds memory, not the log. */
const PAGE = 1_000;

/** Reads the ledger's tables as they are, in one snapshot, and writes nothing. */
export class RawRows {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async open(url: string): Promise<RawRows> {
    const client = new pg.Client({ connectionString: url, application_name: 'writ-fsck' });
    await client.connect();
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return new RawRows(client);
  }

  async logs(): Promise<string[]> {
    const { rows } = await this.#client.query<{ log_id: string }>(
      'SELECT log_id FROM ledger.leaf UNION SELECT log_id FROM ledger.tile UNION SELECT log_id FROM ledger.root UNION SELECT log_id FROM ledger.checkpoint ORDER BY 1');
    return rows.map((row) => row.log_id);
  }

  async* leaves(logId: string): AsyncGenerator<LeafRow> {
    for (let from = -1n; ;) {
      const { rows } = await this.#client.query<LeafRow>('SELECT * FROM ledger.leaf WHERE log_id = $1 AND leaf_index > $2 ORDER BY leaf_index LIMIT $3', [logId, String(from), PAGE]);
      yield* rows;
      const last = rows.at(-1);
      if (!last) return;
      from = BigInt(last.leaf_index);
    }
  }

  async tiles(logId: string): Promise<TileRow[]> {
    return (await this.#client.query<TileRow>('SELECT * FROM ledger.tile WHERE log_id = $1 ORDER BY level, tile_index, width', [logId])).rows;
  }

  async roots(logId: string): Promise<RootRow[]> {
    return (await this.#client.query<RootRow>('SELECT * FROM ledger.root WHERE log_id = $1 ORDER BY tree_size', [logId])).rows;
  }

  async checkpoints(logId: string): Promise<CheckpointRow[]> {
    return (await this.#client.query<CheckpointRow>('SELECT * FROM ledger.checkpoint WHERE log_id = $1 ORDER BY tree_size', [logId])).rows;
  }

  async close(): Promise<void> {
    await this.#client.end();
  }
}
