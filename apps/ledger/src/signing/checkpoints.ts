// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { inTenant, type Client, type Pool } from '@writ/database';
import { isSameHash } from '@writ/merkle';
import { formatCheckpoint, signNote, type NoteSigner } from '@writ/signing';
import { newestOfEach, type CommittedRoot } from './committed-root.ts';
import { ledgerSql } from '../foundation/ledger-functions.ts';
import { WriteBatcher } from '../foundation/write-batcher.ts';
import { newestWitnessed, type WitnessedRow } from './cosignatures.ts';
import type { SignedMemory } from './signed-memory.ts';

/** A root with the ledger's signature: C2SP tlog-checkpoint in a C2SP signed note. */
export interface Checkpoint {
  readonly treeSize: number;
  readonly root: Uint8Array;
  readonly note: string;
  /**
   * The newest checkpoint that a quorum of witnesses cosigned, where there are witnesses. Verifiers get it if it covers
   * the requested record.
   */
  readonly witnessed: Omit<Checkpoint, 'witnessed'> | null;
}

/** The cosigning of checkpoints by witnesses. */
export interface Witnessing {
  /** How many cosignatures let a checkpoint replace a newer one; 0 where there are no witnesses. */
  readonly quorum: number;
  /** Receives the tenants whose logs have a newer stored checkpoint. */
  readonly onStored: (tenantIds: readonly string[]) => void;
}

export const NO_WITNESSES: Witnessing = { quorum: 0, onStored: () => undefined };

/** A root and the note that signs it. */
interface SignedRoot extends CommittedRoot {
  readonly note: string;
}

/** Stored checkpoints with the lines of their witnesses. */
const CHECKPOINT_QUERY = `SELECT root.tree_size, root.root, checkpoint.note || coalesce((
                SELECT string_agg(c.line, '' ORDER BY c.witness, c.key_hash) FROM ledger.cosignature c
                 WHERE c.log_id = checkpoint.log_id AND c.tree_size = checkpoint.tree_size), '') AS note
         FROM ledger.checkpoint JOIN ledger.root USING (log_id, tree_size)`;

const checkpointOf = ({ tree_size, root, note }: WitnessedRow): Omit<Checkpoint, 'witnessed'> => ({
  treeSize: tree_size,
  root,
  note,
});

/**
 * Signs committed roots, and only those; stores and finds their notes. The origin is `<deployment>/<log_id>` under one
 * key named `<deployment>`.
 */
export class Checkpoints {
  readonly #pool: Pool;
  readonly #memory: SignedMemory;
  readonly #signer: NoteSigner;
  readonly #report: (error: unknown) => void;
  readonly #witnessing: Witnessing;
  readonly #noteWrites: WriteBatcher<readonly SignedRoot[], void>;

  /** @param report receives the errors of notes that could not be stored */
  constructor(
    pool: Pool,
    memory: SignedMemory,
    signer: NoteSigner,
    report: (error: unknown) => void,
    witnessing: Witnessing = NO_WITNESSES,
  ) {
    this.#witnessing = witnessing;
    this.#pool = pool;
    this.#memory = memory;
    this.#signer = signer;
    this.#report = report;
    this.#noteWrites = new WriteBatcher({ write: (batches) => this.#write(batches) });
  }

  /**
   * Signs roots that a transaction has committed, except those that a larger signature covers. The roots are claimed
   * when it returns, so that nothing smaller is signed afterwards; they are remembered and signed when it resolves.
   * Notes are stored concurrently, and their COMMIT doesn't wait for the disk: a missing note only has to be signed
   * again, with the same bytes, at the next request. Faults: `ledger.diverged`, `ledger.unavailable`.
   */
  async sign(roots: readonly CommittedRoot[]): Promise<void> {
    this.#store(await this.#signRemembered(roots)).catch(this.#report);
  }

  /**
   * Stores the newest signed root of each log. While another statement is running, the roots of several batches wait
   * and are stored in one statement.
   */
  async #store(signed: readonly SignedRoot[]): Promise<void> {
    if (signed.length > 0) await this.#noteWrites.run(signed);
  }

  async #write(batches: readonly (readonly SignedRoot[])[]): Promise<void> {
    const signed = [...newestOfEach(batches.flat())];
    await ledgerSql.keepCheckpoints(
      this.#pool,
      {
        logs: signed.map((s) => s.logId),
        sizes: signed.map((s) => s.treeSize),
        tenants: signed.map((s) => s.tenantId),
        notes: signed.map((s) => s.note),
      },
      { asyncCommit: true },
    );
    this.#witnessing.onStored(signed.map((s) => s.tenantId));
  }

  /** Signs the roots while the memory file is being written, and returns them when both are done. */
  async #signRemembered(roots: readonly CommittedRoot[]): Promise<readonly SignedRoot[]> {
    const { signable, written } = this.#memory.remember(roots);
    const [signed] = await Promise.all([this.#signed(signable), written]);
    return signed;
  }

  async #signed(roots: readonly CommittedRoot[]): Promise<readonly SignedRoot[]> {
    return roots.map((root) => ({ ...root, note: this.#noteOf(root) }));
  }

  /**
   * The newest checkpoint of a log with its cosignatures, read in the caller's transaction; null where nothing is
   * signed yet.
   */
  async newest(client: Client, logId: string): Promise<Checkpoint | null> {
    const {
      rows: [row],
    } = await client.query<WitnessedRow>(
      `${CHECKPOINT_QUERY} WHERE checkpoint.log_id = $1 ORDER BY checkpoint.tree_size DESC LIMIT 1`,
      [logId],
    );
    if (row === undefined) return null;
    const witnessed =
      this.#witnessing.quorum === 0 ? null : await newestWitnessed(client, logId, this.#witnessing.quorum);
    return { ...checkpointOf(row), witnessed: witnessed === null ? null : checkpointOf(witnessed) };
  }

  /**
   * The checkpoint of one size with its cosignatures, read in the caller's transaction; null where none of that size is
   * stored.
   */
  async at(client: Client, logId: string, treeSize: number): Promise<Omit<Checkpoint, 'witnessed'> | null> {
    const {
      rows: [row],
    } = await client.query<WitnessedRow>(
      `${CHECKPOINT_QUERY} WHERE checkpoint.log_id = $1 AND checkpoint.tree_size = $2`,
      [logId, treeSize],
    );
    return row === undefined ? null : checkpointOf(row);
  }

  /**
   * Signs the newest root of a log if it is unsigned, because the ledger died or another request is about to sign it.
   * Callers MUST NOT hold a connection: this takes its own, and otherwise all connections could wait for each other.
   * Faults: `not_found` for a log without records, `ledger.diverged` for a root behind the last signed one.
   */
  async signNewest(logId: string, tenantId: string): Promise<void> {
    const {
      rows: [row],
    } = await inTenant(
      this.#pool,
      tenantId,
      (client) =>
        client.query<{ tree_size: number; root: Buffer }>(
          'SELECT tree_size, root FROM ledger.root WHERE log_id = $1 ORDER BY tree_size DESC LIMIT 1',
          [logId],
        ),
      { readOnly: true },
    );
    if (row === undefined) throw new Fault('not_found');
    const root = { logId, tenantId, treeSize: row.tree_size, root: row.root };
    const signed = await this.#signRemembered([root]);
    await this.#store(signed);
    if (signed.length > 0 || (await this.#reaches(root))) return;
    throw new Fault('ledger.diverged', `log \`${logId}\` was signed at a larger size than the database reaches`);
  }

  /** Whether the database has the root that was signed last: then the given root was read at an older moment. */
  async #reaches({ logId, tenantId }: CommittedRoot): Promise<boolean> {
    const last = this.#memory.last(logId);
    if (last === undefined) return true;
    const {
      rows: [found],
    } = await inTenant(
      this.#pool,
      tenantId,
      (client) =>
        client.query<{ root: Buffer }>('SELECT root FROM ledger.root WHERE log_id = $1 AND tree_size = $2', [
          logId,
          last.treeSize,
        ]),
      { readOnly: true },
    );
    return found !== undefined && isSameHash(found.root, last.root);
  }

  #noteOf(root: CommittedRoot): string {
    return signNote(
      formatCheckpoint({ origin: `${this.#signer.name}/${root.logId}`, treeSize: root.treeSize, root: root.root }),
      this.#signer,
    );
  }
}
