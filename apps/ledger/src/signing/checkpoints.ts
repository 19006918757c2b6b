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
   * The newest one that a quorum of witnesses cosigned, where there are witnesses: what a stranger is shown, if it
   * covers what is asked about.
   */
  readonly witnessed: Omit<Checkpoint, 'witnessed'> | null;
}

/** How checkpoints get their witnesses. */
export interface Witnessing {
  /**
   * How many cosignatures make a checkpoint that is shown in the place of a newer one; 0 where there are no witnesses.
   */
  readonly quorum: number;
  /** Told of the tenants whose logs have a newer checkpoint stored. */
  readonly onStored: (tenantIds: readonly string[]) => void;
}

export const NO_WITNESSES: Witnessing = { quorum: 0, onStored: () => undefined };

/** A root and the note that signs it. */
interface SignedRoot extends CommittedRoot {
  readonly note: string;
}

/** Stored checkpoints with the lines of their witnesses. */
const STORED = `SELECT root.tree_size, root.root, checkpoint.note || coalesce((
                SELECT string_agg(c.line, '' ORDER BY c.witness, c.key_hash) FROM ledger.cosignature c
                 WHERE c.log_id = checkpoint.log_id AND c.tree_size = checkpoint.tree_size), '') AS note
         FROM ledger.checkpoint JOIN ledger.root USING (log_id, tree_size)`;

const checkpointOf = ({ tree_size, root, note }: WitnessedRow): Omit<Checkpoint, 'witnessed'> => ({
  treeSize: tree_size,
  root,
  note,
});

/**
 * Signs committed roots, and only those; keeps and finds their notes. The origin is `<deployment>/<log_id>` under one
 * key named `<deployment>`.
 */
export class Checkpoints {
  readonly #pool: Pool;
  readonly #memory: SignedMemory;
  readonly #signer: NoteSigner;
  readonly #report: (error: unknown) => void;
  readonly #witnessing: Witnessing;
  readonly #kept: WriteBatcher<readonly SignedRoot[], void>;

  /** @param report told of notes that could not be stored */
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
    this.#kept = new WriteBatcher({ write: (batches) => this.#write(batches) });
  }

  /**
   * Signs roots that a transaction has committed, but for those that a larger signature covers. They are claimed when
   * it returns, so that nothing smaller is signed after, and remembered and signed when it resolves. Notes are stored
   * beside that, and their COMMIT waits for no disk: one that isn't there costs nothing but signing the same bytes
   * again when somebody asks. Faults: `ledger.diverged`, `ledger.unavailable`.
   */
  async sign(roots: readonly CommittedRoot[]): Promise<void> {
    this.#keep(await this.#note(roots)).catch(this.#report);
  }

  /**
   * Stores what was signed, the newest of each log: those of several batches in one statement, while the database has
   * another one under way.
   */
  async #keep(signed: readonly SignedRoot[]): Promise<void> {
    if (signed.length > 0) await this.#kept.run(signed);
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
      { unawaited: true },
    );
    this.#witnessing.onStored(signed.map((s) => s.tenantId));
  }

  /** They are signed while the disk writes, and given out when it has. */
  async #note(roots: readonly CommittedRoot[]): Promise<readonly SignedRoot[]> {
    const { signable, written } = this.#memory.remember(roots);
    const [signed] = await Promise.all([this.#signed(signable), written]);
    return signed;
  }

  async #signed(roots: readonly CommittedRoot[]): Promise<readonly SignedRoot[]> {
    return roots.map((root) => ({ ...root, note: this.#noteOf(root) }));
  }

  /**
   * The newest checkpoint of a log, with what its witnesses said, read in the caller's transaction; null where nothing
   * was signed yet.
   */
  async newest(client: Client, logId: string): Promise<Checkpoint | null> {
    const {
      rows: [row],
    } = await client.query<WitnessedRow>(
      `${STORED} WHERE checkpoint.log_id = $1 ORDER BY checkpoint.tree_size DESC LIMIT 1`,
      [logId],
    );
    if (row === undefined) return null;
    const witnessed =
      this.#witnessing.quorum === 0 ? null : await newestWitnessed(client, logId, this.#witnessing.quorum);
    return { ...checkpointOf(row), witnessed: witnessed === null ? null : checkpointOf(witnessed) };
  }

  /**
   * The checkpoint of one size, with what its witnesses said, read in the caller's transaction; null where none of that
   * size was stored.
   */
  async at(client: Client, logId: string, treeSize: number): Promise<Omit<Checkpoint, 'witnessed'> | null> {
    const {
      rows: [row],
    } = await client.query<WitnessedRow>(`${STORED} WHERE checkpoint.log_id = $1 AND checkpoint.tree_size = $2`, [
      logId,
      treeSize,
    ]);
    return row === undefined ? null : checkpointOf(row);
  }

  /**
   * Signs the newest root of a log where that was left undone: the ledger died, or another request is about to. Callers
   * MUST hold no connection: it takes its own, and all would wait for one that nobody gives back. Faults: `not_found`
   * for a log without records, `ledger.diverged` for a root behind what was signed.
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
    const signed = await this.#note([root]);
    await this.#keep(signed);
    if (signed.length > 0 || (await this.#reaches(root))) return;
    throw new Fault('ledger.diverged', `log \`${logId}\` was signed at a larger size than the database reaches`);
  }

  /**
   * Answers whether the database has the root that was signed last: then the one in hand was that of an older moment.
   */
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
