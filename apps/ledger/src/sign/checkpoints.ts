// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { inTenant, runStatement, type Client, type Pool } from '@writ/database';
import { isSameHash } from '@writ/merkle';
import { formatCheckpoint, signNote, type NoteSigner } from '@writ/signing';
import type { CommittedRoot } from '../log/entry.ts';
import type { SignedMemory } from './signed-memory.ts';

/** A root with the ledger's signature: C2SP tlog-checkpoint in a C2SP signed note. */
export interface Checkpoint {
  readonly treeSize: number;
  readonly root: Uint8Array;
  readonly note: string;
}

/** A root and the note that signs it. */
export interface SignedRoot extends CommittedRoot {
  readonly note: string;
}

interface SignedRow { tree_size: number; root: Buffer; note: string }

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

  /**
   * Signs roots that a transaction has committed, but for those that a larger signature covers. Resolves with the notes by log, when they are stored.
   * Ed25519 is deterministic: two replicas write the same note.
   */
  async sign(roots: readonly CommittedRoot[]): Promise<ReadonlyMap<string, string>> {
    const signed = this.note(roots);
    await this.keep(signed);
    return new Map(signed.map(({ logId, note }) => [logId, note]));
  }

  /** The signing alone: what was signed is remembered when it returns. Throws Fault `ledger.diverged`. */
  note(roots: readonly CommittedRoot[]): readonly SignedRoot[] {
    return this.#memory.remember(roots).map((root) => ({ ...root, note: this.#noteOf(root) }));
  }

  /** Stores notes. One that isn't stored costs nothing but signing the same bytes again when somebody asks. */
  async keep(signed: readonly SignedRoot[]): Promise<void> {
    if (signed.length === 0) return;
    await runStatement(this.#pool, {
      name: 'ledger.keep_checkpoints', text: 'SELECT ledger.keep_checkpoints($1, $2, $3, $4)',
      values: [signed.map((s) => s.logId), signed.map((s) => s.treeSize), signed.map((s) => s.tenantId), signed.map((s) => s.note)],
    });
  }

  /** The newest checkpoint of a log, read in the caller's transaction; null where nothing was signed yet. */
  async newest(client: Client, logId: string): Promise<Checkpoint | null> {
    const { rows: [row] } = await client.query<SignedRow>(
      `SELECT root.tree_size, root.root, checkpoint.note FROM ledger.checkpoint JOIN ledger.root USING (log_id, tree_size)
        WHERE checkpoint.log_id = $1 ORDER BY checkpoint.tree_size DESC LIMIT 1`,
      [logId],
    );
    return row === undefined ? null : { treeSize: row.tree_size, root: row.root, note: row.note };
  }

  /**
   * Signs the newest root of a log where that was left undone: the ledger died, or another request is about to. Callers MUST hold no connection: it takes its own, and
   * all would wait for one that nobody gives back. Faults: `not_found` for a log without records, `ledger.diverged` for a root behind what was signed.
   */
  async signNewest(logId: string, tenantId: string): Promise<void> {
    const { rows: [row] } = await inTenant(this.#pool, tenantId, (client) => client.query<{ tree_size: number; root: Buffer }>(
      'SELECT tree_size, root FROM ledger.root WHERE log_id = $1 ORDER BY tree_size DESC LIMIT 1', [logId]), { readOnly: true });
    if (row === undefined) throw new Fault('not_found');
    const root = { logId, tenantId, treeSize: row.tree_size, root: row.root };
    if ((await this.sign([root])).has(logId) || await this.#reaches(root)) return;
    throw new Fault('ledger.diverged', `log \`${logId}\` was signed at a larger size than the database reaches`);
  }

  /** Answers whether the database has the root that was signed last: then the one in hand was that of an older moment. */
  async #reaches({ logId, tenantId }: CommittedRoot): Promise<boolean> {
    const last = this.#memory.last(logId);
    if (last === undefined) return true;
    const { rows: [found] } = await inTenant(this.#pool, tenantId, (client) =>
      client.query<{ root: Buffer }>('SELECT root FROM ledger.root WHERE log_id = $1 AND tree_size = $2', [logId, last.treeSize]), { readOnly: true });
    return found !== undefined && isSameHash(found.root, last.root);
  }

  #noteOf(root: CommittedRoot): string {
    return signNote(formatCheckpoint({ origin: `${this.#signer.name}/${root.logId}`, treeSize: root.treeSize, root: root.root }), this.#signer);
  }
}
