// SPDX-License-Identifier: Apache-2.0
import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { Bus } from '@writ/bus';
import { AppendReply, Fault, LIMITS, parseFromPeer, type Subjects } from '@writ/contract';
import { runStatement } from '@writ/database';
import { Outbox } from './outbox.ts';
import type { SealedRecord } from '../records/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';
import { appendRequest, byTenant, takeBatch, type SentRecord } from './batches.ts';
import type { LogPositionTracker } from './log-position-tracker.ts';

/** Older rows belong to any replica that finds them: the one that committed had its chance. */
const ABANDONED_MS = 2_000;
/** For how long the rows that a sender found are its own: longer than a request may take. */
const CLAIM_MS = 6_000;
/** What the ledger may take for one batch; tens of milliseconds are usual. */
const APPEND_MS = 5_000;
/** Rows that one query claims. */
const ROWS_MAX = 200;
/**
 * Records that wait in memory while the ledger is unavailable: a tenant's admission stops at as many. A record that
 * doesn't fit stays a row, and is found as one.
 */
const QUEUE_MAX = 10_000;

/**
 * How long the decision of an admitted call waits for its outcome, so that most calls cost the log one batch. No caller
 * waits for that decision's record.
 */
const LINGER_MS = 50;

/** After so many milliseconds without a batch, the next record counts as a lone one. */
const QUIET_MS = 10;

/**
 * Logged rows are deleted together: after this time, which is far shorter than the one after which rows are sent again,
 * or at this many rows.
 */
const DROP_MS = 200;
const DROPPED_MAX = 200;

/** Receives what operators must see. No method may throw. */
export interface SenderWatch {
  /** The ledger refuses the record. The row stays, and its age holds back admission: an operator has to look. */
  readonly refused: (recordId: string, fault: string) => void;
  /**
   * The ledger didn't accept a batch of so many records, or the database failed (no records). The batch is sent again.
   */
  readonly failed: (error: unknown, records: number) => void;
  /** The ledger has logged so many more records. */
  readonly logged: (records: number) => void;
}

/**
 * Brings records to the ledger. INVARIANT (a row goes last): a row of kernel.outbox is deleted only after the ledger
 * confirmed it. Everything else here may be lost or done twice, since the ledger drops duplicates by record_id.
 */
export class OutboxSender extends Outbox {
  readonly #bus: Bus;
  readonly #subject: string;
  readonly #workers: CrossTenantPool;
  readonly #logPositions: LogPositionTracker;
  readonly #watch: SenderWatch;
  readonly #now: () => number;
  readonly #queue: SentRecord[] = [];
  readonly #pending = new Set<Promise<void>>();
  #sending = false;
  /**
   * a caller waits for a record of the queue, or the first one that may linger has waited long enough; never of an
   * empty queue
   */
  #isAwaited = false;
  /** when the last batch was confirmed, or given up, by `performance.now()` */
  #sentAt = -Infinity;
  #lingering: NodeJS.Timeout | undefined;
  /** confirmed by the ledger, and still rows */
  readonly #confirmed: string[] = [];
  #dropping: NodeJS.Timeout | undefined;

  /** `now` is epoch milliseconds by this process: only for the deadline of requests. */
  constructor(
    bus: Bus,
    subjects: Subjects,
    workers: CrossTenantPool,
    logPositions: LogPositionTracker,
    watch: SenderWatch,
    now: () => number,
  ) {
    super();
    this.#bus = bus;
    this.#subject = subjects.request('ledger.append');
    this.#workers = workers;
    this.#logPositions = logPositions;
    this.#watch = watch;
    this.#now = now;
  }

  override enqueue(records: readonly SealedRecord[], options: { readonly mayLinger?: boolean } = {}): void {
    if (records.length === 0) return;
    if (this.#queue.length < QUEUE_MAX) this.#queue.push(...records);
    this.#isAwaited ||= options.mayLinger !== true;
    if (!this.#isDue()) this.#lingering ??= setTimeout(() => this.#sendNow(), LINGER_MS).unref();
    else if (!this.#sending) this.#track(this.#drain());
  }

  /**
   * Sends rows that no replica has sent: those older than two seconds, which a replica that died left behind, or a
   * ledger that didn't answer. Resolves with how many were logged.
   */
  async resend(): Promise<number> {
    let sent = 0;
    for (;;) {
      const rows = await kernelSql.claimRecords(this.#workers.pool, {
        older_ms: ABANDONED_MS,
        claim_ms: CLAIM_MS,
        rows: ROWS_MAX,
      });
      const unsent = [...rows];
      while (unsent.length > 0) {
        const logged = await this.#send(takeBatch(unsent));
        // The ledger is unavailable: the rest would fail too, and stays claimed for a while.
        if (logged === null) return sent;
        sent += logged;
      }
      if (rows.length < ROWS_MAX) return sent;
    }
  }

  /** How many rows wait, and since when: the age in milliseconds by the database's clock. */
  async backlog(): Promise<{ rows: number; ageMs: number }> {
    const { rows } = await runStatement<{ rows: number; age: number }>(this.#workers.pool, {
      name: 'kernel.outbox_backlog',
      text: 'SELECT count(*) AS rows, coalesce(kernel.now_ms() - min(created_at), 0)::bigint AS age FROM kernel.outbox',
    });
    return { rows: rows[0]?.rows ?? 0, ageMs: rows[0]?.age ?? 0 };
  }

  /** Resolves when nothing that was handed over here is under way any more. */
  async idle(): Promise<void> {
    if (this.#queue.length > 0) this.#sendNow();
    do {
      this.#drop();
      await Promise.all(this.#pending);
    } while (this.#pending.size > 0 || this.#confirmed.length > 0);
  }

  /** Whether the queue is sent now: a caller waits for one of its records, or it fills a request. */
  #isDue(): boolean {
    return this.#isAwaited || this.#queue.length >= LIMITS.appendRecords.max;
  }

  /** Sends the whole queue now. */
  #sendNow(): void {
    this.#isAwaited = true;
    if (!this.#sending) this.#track(this.#drain());
  }

  /**
   * Records that arrive while a batch is under way wait for the next one if they may linger: under a steady load none
   * would gather otherwise. Records that one turn of the event loop hands over go together, for instance those of calls
   * that one commit admitted: the first alone would keep all others waiting for its answer. After a quiet time a record
   * counts as a lone one. It is sent before other notifications of the turn, since a caller waits for it.
   */
  async #drain(): Promise<void> {
    this.#sending = true;
    for (;;) {
      if (performance.now() - this.#sentAt < QUIET_MS) await endOfTurn();
      if (!this.#isDue()) break;
      const batch = takeBatch(this.#queue);
      if (this.#queue.length === 0) this.#stopLingering();
      await this.#send(batch);
      this.#sentAt = performance.now();
    }
    this.#sending = false;
  }

  /** The queue is empty: stops the timer. */
  #stopLingering(): void {
    clearTimeout(this.#lingering);
    this.#lingering = undefined;
    this.#isAwaited = false;
  }

  /**
   * Sends one batch; resolves with how many were logged, or null where the ledger didn't answer. Never rejects: rows
   * that weren't logged are found again.
   */
  async #send(batch: readonly SentRecord[]): Promise<number | null> {
    try {
      return await this.#append(batch);
    } catch (error) {
      const isRefusal = error instanceof Fault && !error.retryable;
      const parts = isRefusal ? byTenant(batch) : [];
      // One log that has diverged must not hold up the others, and the answer doesn't name it.
      if (parts.length > 1) return await this.#sendEach(parts);
      this.#watch.failed(error, batch.length);
      return isRefusal ? 0 : null;
    }
  }

  async #sendEach(batches: readonly (readonly SentRecord[])[]): Promise<number> {
    let sent = 0;
    for (const batch of batches) sent += (await this.#send(batch)) ?? 0;
    return sent;
  }

  async #append(batch: readonly SentRecord[]): Promise<number> {
    const answer = await this.#bus.request(this.#subject, appendRequest(batch), { deadline: this.#now() + APPEND_MS });
    const sentIds = new Set(batch.map(({ record_id }) => record_id));
    const { appended } = parseFromPeer(AppendReply, answer);
    const logged = appended
      .filter((entry) => sentIds.has(entry.record_id) && this.#isLogged(entry))
      .map(({ record_id }) => record_id);
    this.#watch.logged(logged.length);
    this.#dropLater(logged);
    return logged.length;
  }

  /** Deletes confirmed rows a little later, many at once: until then they only take space. */
  #dropLater(logged: readonly string[]): void {
    this.#confirmed.push(...logged);
    if (this.#confirmed.length >= DROPPED_MAX) this.#drop();
    else if (this.#confirmed.length > 0) this.#dropping ??= setTimeout(() => this.#drop(), DROP_MS).unref();
  }

  #drop(): void {
    clearTimeout(this.#dropping);
    this.#dropping = undefined;
    const logged = this.#confirmed.splice(0);
    if (logged.length > 0) this.#track(kernelSql.dropRecords(this.#workers.pool, { records: logged }));
  }

  #isLogged({ record_id, leaf_index, tree_size, fault }: AppendReply['appended'][number]): boolean {
    if (fault !== null || leaf_index === null || tree_size === null) {
      this.#watch.refused(record_id, fault ?? 'internal');
      return false;
    }
    this.#logPositions.noteLogged(record_id, { leaf_index, tree_size });
    return true;
  }

  #track(work: Promise<unknown>): void {
    const tracked: Promise<void> = work
      .then(
        () => undefined,
        (error: unknown) => {
          this.#watch.failed(error, 0);
        },
      )
      .finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
  }
}
