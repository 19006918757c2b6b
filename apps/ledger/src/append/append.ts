// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, type AppendReply, type AppendRequest } from '@writ/contract';
import type { Entry } from '../log/entry.ts';
import { keyOf, type LogStore } from '../log/log-store.ts';
import type { Checkpoints } from '../sign/checkpoints.ts';
import { inTracesOf } from './in-traces.ts';
import type { RecordVerifier } from './record-verifier.ts';

interface Waiting {
  readonly entries: readonly Entry[];
  readonly resolve: (placed: Placed) => void;
  readonly reject: (error: unknown) => void;
}

interface Placed { readonly indexes: ReadonlyMap<string, number>; readonly sizes: ReadonlyMap<string, number> }

/** Records of one transaction at most, whatever was waiting: bounds its time and its memory. */
const BATCH_RECORDS_MAX = 2_000;
/** Requests that may wait. Beyond it the kernel is told to come again: its outbox is the queue. */
const WAITING_MAX = 256;

/**
 * Appends records: verified, committed, signed, then answered.
 * Group commit without a timer: a batch is what arrived while the last one was being written.
 */
export class Append {
  readonly #store: LogStore;
  readonly #checkpoints: Checkpoints;
  readonly #verifier: RecordVerifier;
  readonly #report: (error: unknown) => void;
  #waiting: Waiting[] = [];
  #writing = false;

  /** @param report told of notes that could not be stored */
  constructor(store: LogStore, checkpoints: Checkpoints, verifier: RecordVerifier, report: (error: unknown) => void) {
    this.#store = store;
    this.#checkpoints = checkpoints;
    this.#verifier = verifier;
    this.#report = report;
  }

  /** A record with a fault is answered with it and holds up no other. Faults: `overloaded`, `ledger.diverged`, `database.unavailable`. */
  async run(request: AppendRequest): Promise<AppendReply> {
    if (this.#waiting.length >= WAITING_MAX) throw new Fault('overloaded', 'too many batches wait to be appended');
    const verified = request.records.map((record) => this.#verifier.verify(record));
    const entries = verified.filter((result): result is Entry => !(result instanceof Fault));
    const bytes = entries.reduce((sum, entry) => sum + entry.payload.length, 0);
    if (bytes > LIMITS.appendBytes.max) throw new Fault('record.invalid', `a batch has at most ${LIMITS.appendBytes.max} bytes`);
    const placed = entries.length > 0 ? await inTracesOf(entries, () => this.#place(entries)) : { indexes: new Map(), sizes: new Map() };
    return {
      v: 1,
      appended: request.records.map((record, i) => {
        const result = verified[i];
        if (result instanceof Fault || !result) return { record_id: record.record_id, leaf_index: null, tree_size: null, fault: result?.message ?? null };
        return { record_id: record.record_id, leaf_index: placed.indexes.get(keyOf(result)) ?? null, tree_size: placed.sizes.get(result.logId) ?? null, fault: null };
      }),
    };
  }

  #place(entries: readonly Entry[]): Promise<Placed> {
    return new Promise<Placed>((resolve, reject) => {
      this.#waiting.push({ entries, resolve, reject });
      if (!this.#writing) void this.#write();
    });
  }

  async #write(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      const batch = this.#takeBatch();
      await this.#writeBatch(batch.flatMap((waiting) => waiting.entries)).then(
        (placed) => { for (const waiting of batch) waiting.resolve(placed); },
        (error: unknown) => { for (const waiting of batch) waiting.reject(error); },
      );
    }
    this.#writing = false;
  }

  #takeBatch(): Waiting[] {
    let records = 0;
    const end = this.#waiting.findIndex((waiting, i) => (records += waiting.entries.length) > BATCH_RECORDS_MAX && i > 0);
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  async #writeBatch(entries: readonly Entry[]): Promise<Placed> {
    const { indexes, roots } = await this.#store.append(entries);
    // Signed before the answer; stored beside it, since a note that is missing is made again, to the same bytes.
    this.#checkpoints.keep(this.#checkpoints.note(roots)).catch(this.#report);
    return { indexes, sizes: new Map(roots.map((root) => [root.logId, root.treeSize])) };
  }
}
