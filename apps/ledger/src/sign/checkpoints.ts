// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { runStatement, type Client, type Pool } from '@writ/database';
import { formatCheckpoint, signNote, type NoteSigner } from '@writ/signing';
import type { CommittedRoot } from '../log/entry.ts';
import type { SignedMemory } from './signed-memory.ts';

/** A root with the ledger's signature: C2SP tlog-checkpoint in a C2SP signed note. */
export interface Checkpoint {
  readonly treeSize: number;
  readonly root: Uint8Array;
  readonly note: string;
}

interface NewestRow { tree_size: number; root: Buffer; note: string | null }

/** Signs committed roots, and only those; keeps and finds their notes. The origin is `<deployment>/<log_id>` under one key named `<deployment>`. */
export class Checkpoints {
  readonly #pool: Pool;
  readonly #memory: SignedMemory;
  readonly #signer: NoteSigner;

  constructor(pool: Pool, memory: SignedMemory, signer: NoteSigner) {
    this.#pool = pool;
    this.#memory = memory;
    this.#signer = signer;
  }

  /** Signs roots that a transaction has committed. Resolves when the notes are stored. Ed25519 is deterministic: two replicas write the same note. */
  async sign(roots: readonly CommittedRoot[]): Promise<void> {
    const signed = this.#memory.remember(roots).map((root) => ({ ...root, note: this.#noteOf(root) }));
    if (signed.length === 0) return;
    await runStatement(this.#pool, {
      name: 'ledger.keep_checkpoints', text: 'SELECT ledger.keep_checkpoints($1, $2, $3, $4)',
      values: [signed.map((s) => s.logId), signed.map((s) => s.treeSize), signed.map((s) => s.tenantId), signed.map((s) => s.note)],
    });
  }

  /**
   * The newest checkpoint of a log. A root that was committed when the ledger died before signing it is signed now.
   * Runs in the caller's transaction for the reading. Faults: `not_found` for a log without records, `ledger.diverged`.
   */
  async newest(client: Client, logId: string, tenantId: string): Promise<Checkpoint> {
    const { rows } = await client.query<NewestRow>(
      `SELECT root.tree_size, root.root, checkpoint.note FROM ledger.root LEFT JOIN ledger.checkpoint USING (log_id, tree_size)
        WHERE root.log_id = $1 ORDER BY root.tree_size DESC LIMIT 1`,
      [logId],
    );
    const row = rows[0];
    if (!row) throw new Fault('not_found');
    const root = { logId, tenantId, treeSize: row.tree_size, root: row.root };
    if (row.note !== null) return { treeSize: row.tree_size, root: row.root, note: row.note };
    await this.sign([root]);
    return { treeSize: row.tree_size, root: row.root, note: this.#noteOf(root) };
  }

  #noteOf(root: CommittedRoot): string {
    return signNote(formatCheckpoint({ origin: `${this.#signer.name}/${root.logId}`, treeSize: root.treeSize, root: root.root }), this.#signer);
  }
}
