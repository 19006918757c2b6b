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

/** A request in a batch, while its signatures are still being verified. */
interface AppendJob {
  readonly records: number;
  readonly verified: Promise<Verified>;
  /**
   * whether spans of the request are kept: a batch has hundreds of records, and spans that are dropped would cost time
   * for each
   */
  readonly isTraced: boolean;
}

interface WrittenBatch {
  readonly indexes: ReadonlyMap<string, number>;
  readonly sizes: ReadonlyMap<string, number>;
  /** Resolves when the roots of the batch are signed. */
  readonly signed: Promise<void>;
}

/** The most records of one transaction, which bounds its time and memory. */
const BATCH_RECORDS_MAX = 2_000;
/**
 * As many records of a request are verified on the event loop while no other request is running: a decision and its
 * outcome. Verifying them takes less time than the round trip to a thread.
 */
const INLINE_RECORDS_MAX = 2;
/** Concurrent requests. Beyond them the kernel gets `overloaded` and retries: its outbox is the queue. */
export const REQUESTS_MAX = 512;

const isDiverged = (error: unknown): boolean => error instanceof Fault && error.code === 'ledger.diverged';
const isEntry = (result: Entry | Fault): result is Entry => !(result instanceof Fault);

/**
 * Appends records: verifies, commits and signs them, then answers. The next batch is verified and written while the
 * previous one is being signed.
 */
export class Append {
  readonly #store: LogStore;
  readonly #checkpoints: Checkpoints;
  readonly #verifier: RecordVerifier;
  readonly #batches: WriteBatcher<AppendJob, WrittenBatch>;
  readonly #watch: AppendWatch;
  #runningRequests = 0;

  /** @param watch measures each batch; none by default */
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
      write: (jobs) => this.#write(jobs),
      weigh: ({ records }) => records,
      weightMax: BATCH_RECORDS_MAX,
      // A diverged log delays no other log.
      isMaybeOfOneItem: isDiverged,
    });
  }

  /**
   * A record with a fault is answered with the fault and delays no other. Faults: `overloaded`, `ledger.diverged`,
   * `ledger.unavailable`, `database.unavailable`.
   */
  async run({ records }: AppendRequest): Promise<AppendReply> {
    if (this.#runningRequests >= REQUESTS_MAX) throw new Fault('overloaded', 'too many batches wait to be appended');
    const bytes = records.reduce((sum, { envelope }) => sum + Buffer.byteLength(envelope.payload, 'base64'), 0);
    if (bytes > LIMITS.appendBytes.max)
      throw new Fault('record.invalid', `a batch has at most ${LIMITS.appendBytes.max} bytes`);
    this.#runningRequests += 1;
    try {
      return await this.#watch(records.length, () => this.#append(records));
    } finally {
      this.#runningRequests -= 1;
    }
  }

  async #append(records: readonly SentRecord[]): Promise<AppendReply> {
    const where = this.#runningRequests === 1 && records.length <= INLINE_RECORDS_MAX ? 'inline' : 'worker';
    const job: AppendJob = {
      records: records.length,
      verified: Promise.all(records.map((record) => this.#verifier.verify(record, where))),
      isTraced: isTraced(),
    };
    const written = await this.#batches.run(job);
    await written.signed;
    const verified = await job.verified;
    return { v: 1, appended: records.map((record, i) => answerFor(record, verified[i], written)) };
  }

  async #write(jobs: readonly AppendJob[]): Promise<WrittenBatch> {
    const verified = await Promise.all(jobs.map((job) => job.verified));
    const entries = verified.flat().filter(isEntry);
    if (entries.length === 0) return { indexes: new Map(), sizes: new Map(), signed: Promise.resolve() };
    const write = async (): Promise<WrittenBatch> => {
      const { indexes, roots } = await this.#store.append(entries);
      // The batch doesn't wait for its signature: the next one is written meanwhile. The roots are claimed for signing
      // before that begins.
      return {
        indexes,
        sizes: new Map(roots.map((root) => [root.logId, root.treeSize])),
        signed: this.#checkpoints.sign(roots),
      };
    };
    return jobs.some((job) => job.isTraced) ? await inTracesOf(entries, write) : await write();
  }
}

function answerFor(
  { record_id }: SentRecord,
  result: Entry | Fault | undefined,
  { indexes, sizes }: WrittenBatch,
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
