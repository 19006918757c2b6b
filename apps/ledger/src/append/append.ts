// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, type AppendReply, type AppendRequest } from '@writ/contract';
import { isTraced } from '@writ/telemetry';
import type { Entry } from '../log/entry.ts';
import { keyOf, type LogStore } from '../log/log-store.ts';
import type { Checkpoints } from '../signing/checkpoints.ts';
import { WriteBatcher } from '../foundation/write-batcher.ts';
import type { AppendWatch } from '../foundation/ledger-watch.ts';
import { inTracesOf } from './in-traces.ts';
import type { RecordVerifier } from './record-verifier.ts';

type SentRecord = AppendRequest['records'][number];
type Verified = readonly (Entry | Fault)[];

/** A request that has its turn already, while its signatures are still being verified. */
interface Turn {
  readonly records: number;
  readonly verified: Promise<Verified>;
  /**
   * whether spans of the request are kept: a batch has hundreds of records, and none of them pays for a span that
   * nobody will see
   */
  readonly isTraced: boolean;
}

interface Placed {
  readonly indexes: ReadonlyMap<string, number>;
  readonly sizes: ReadonlyMap<string, number>;
  /** Resolves when the roots of the batch are signed. */
  readonly signed: Promise<void>;
}

/** Records of one transaction at most, whatever was waiting: bounds its time and its memory. */
const BATCH_RECORDS_MAX = 2_000;
/**
 * Records of a request that are verified on the event loop while no other is under way: a decision and its outcome. The
 * way to a thread and back takes longer than they do.
 */
const HERE_MAX = 2;
/** Requests under way. Beyond it the kernel is told to come again: its outbox is the queue. */
export const REQUESTS_MAX = 512;

const isDiverged = (error: unknown): boolean => error instanceof Fault && error.code === 'ledger.diverged';
const isEntry = (result: Entry | Fault): result is Entry => !(result instanceof Fault);

/**
 * Appends records: verified, committed, signed, then answered. The batch that follows is verified and written while the
 * one before is being signed.
 */
export class Append {
  readonly #store: LogStore;
  readonly #checkpoints: Checkpoints;
  readonly #verifier: RecordVerifier;
  readonly #batches: WriteBatcher<Turn, Placed>;
  readonly #watch: AppendWatch;
  #underWay = 0;

  /** @param watch told of each batch; nobody unless given */
  constructor(
    store: LogStore,
    checkpoints: Checkpoints,
    verifier: RecordVerifier,
    watch: AppendWatch = (_records, append) => append(),
  ) {
    this.#watch = watch;
    this.#store = store;
    this.#checkpoints = checkpoints;
    this.#verifier = verifier;
    this.#batches = new WriteBatcher({
      write: (turns) => this.#write(turns),
      weigh: ({ records }) => records,
      weightMax: BATCH_RECORDS_MAX,
      // A log that has diverged holds up nobody else's.
      mayBeOfOne: isDiverged,
    });
  }

  /**
   * A record with a fault is answered with it and holds up no other. Faults: `overloaded`, `ledger.diverged`,
   * `ledger.unavailable`, `database.unavailable`.
   */
  async run({ records }: AppendRequest): Promise<AppendReply> {
    if (this.#underWay >= REQUESTS_MAX) throw new Fault('overloaded', 'too many batches wait to be appended');
    const bytes = records.reduce((sum, { envelope }) => sum + Buffer.byteLength(envelope.payload, 'base64'), 0);
    if (bytes > LIMITS.appendBytes.max)
      throw new Fault('record.invalid', `a batch has at most ${LIMITS.appendBytes.max} bytes`);
    this.#underWay += 1;
    try {
      return await this.#watch(records.length, () => this.#append(records));
    } finally {
      this.#underWay -= 1;
    }
  }

  async #append(records: readonly SentRecord[]): Promise<AppendReply> {
    const where = this.#underWay === 1 && records.length <= HERE_MAX ? 'here' : 'aside';
    const turn: Turn = {
      records: records.length,
      verified: Promise.all(records.map((record) => this.#verifier.verify(record, where))),
      isTraced: isTraced(),
    };
    const placed = await this.#batches.run(turn);
    await placed.signed;
    const verified = await turn.verified;
    return { v: 1, appended: records.map((record, i) => answerFor(record, verified[i], placed)) };
  }

  async #write(turns: readonly Turn[]): Promise<Placed> {
    const verified = await Promise.all(turns.map((turn) => turn.verified));
    const entries = verified.flat().filter(isEntry);
    if (entries.length === 0) return { indexes: new Map(), sizes: new Map(), signed: Promise.resolve() };
    const place = async (): Promise<Placed> => {
      const { indexes, roots } = await this.#store.append(entries);
      // Not waited for here: the next batch is written meanwhile. What is about to be signed is claimed before that
      // begins.
      return {
        indexes,
        sizes: new Map(roots.map((root) => [root.logId, root.treeSize])),
        signed: this.#checkpoints.sign(roots),
      };
    };
    return turns.some((turn) => turn.isTraced) ? await inTracesOf(entries, place) : await place();
  }
}

function answerFor(
  { record_id }: SentRecord,
  result: Entry | Fault | undefined,
  { indexes, sizes }: Placed,
): AppendReply['appended'][number] {
  if (result === undefined || !isEntry(result))
    return { record_id, leaf_index: null, tree_size: null, fault: result?.message ?? null };
  return {
    record_id,
    leaf_index: indexes.get(keyOf(result)) ?? null,
    tree_size: sizes.get(result.logId) ?? null,
    fault: null,
  };
}
