// SPDX-License-Identifier: Apache-2.0
import { logIdOf, type TenantId } from '@writ/contract';
import { inTenant, type Client, type Pool } from '@writ/database';
import type { NoteKey } from '@writ/signing';

/** A checkpoint with only the ledger's signature, and the names of its cosigners, as `<name>+<hash>`. */
export interface LedgerCheckpoint {
  readonly treeSize: number;
  readonly note: string;
  readonly cosignedBy: ReadonlySet<string>;
}

/** A stored checkpoint with the lines of its witnesses below the ledger's. */
export interface WitnessedRow {
  tree_size: number;
  root: Buffer;
  note: string;
}

/** The unique name of a key. */
export const nameOfKey = ({ name, keyHash }: NoteKey): string => `${name}+${keyHash}`;

/** Stores and finds cosignatures of witnesses. Callers MUST verify a line before they store it. */
export class Cosignatures {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** The newest stored checkpoint of a tenant's log; null where there is none. */
  async newestCheckpoint(tenantId: string): Promise<LedgerCheckpoint | null> {
    const {
      rows: [row],
    } = await inTenant(
      this.#pool,
      tenantId,
      (client) =>
        client.query<{ tree_size: number; note: string; cosigned_by: string[] }>(
          `SELECT c.tree_size, c.note, ARRAY(SELECT s.witness || '+' || s.key_hash FROM ledger.cosignature s WHERE s.log_id = c.log_id AND s.tree_size = c.tree_size) AS cosigned_by
         FROM ledger.checkpoint c WHERE c.log_id = $1 ORDER BY c.tree_size DESC LIMIT 1`,
          [logIdOf(tenantId as TenantId)],
        ),
      { readOnly: true },
    );
    return row === undefined ? null : { treeSize: row.tree_size, note: row.note, cosignedBy: new Set(row.cosigned_by) };
  }

  /** Stores a verified line; another replica may have stored it already. */
  async insert(tenantId: string, treeSize: number, { name, keyHash }: NoteKey, line: string): Promise<void> {
    await inTenant(this.#pool, tenantId, (client) =>
      client.query(
        'INSERT INTO ledger.cosignature (log_id, tree_size, tenant_id, witness, key_hash, line) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING',
        [logIdOf(tenantId as TenantId), treeSize, tenantId, name, keyHash, line],
      ),
    );
  }
}

/**
 * The newest checkpoint that so many witnesses cosigned, with all cosignatures, read in the caller's transaction; null
 * where there is none.
 */
export async function newestWitnessed(client: Client, logId: string, quorum: number): Promise<WitnessedRow | null> {
  const {
    rows: [row],
  } = await client.query<WitnessedRow>(
    `SELECT root.tree_size, root.root, checkpoint.note || witnessed.lines AS note
       FROM (SELECT tree_size, string_agg(line, '' ORDER BY witness, key_hash) AS lines FROM ledger.cosignature WHERE log_id = $1
              GROUP BY tree_size HAVING count(*) >= $2 ORDER BY tree_size DESC LIMIT 1) witnessed
       JOIN ledger.checkpoint ON checkpoint.log_id = $1 AND checkpoint.tree_size = witnessed.tree_size
       JOIN ledger.root ON root.log_id = $1 AND root.tree_size = witnessed.tree_size`,
    [logId, quorum],
  );
  return row ?? null;
}
