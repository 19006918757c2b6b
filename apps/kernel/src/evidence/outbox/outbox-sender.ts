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

/** Rows older than this belong to whoever finds them: the replica that committed had its chance. */
const ABANDONED_MS = 2_000;
/** For how long a sender that found rows has them to itself: longer than a request may take. */
const CLAIM_MS = 6_000;
/** What the ledger may take for one batch; tens of milliseconds are usual. */
const APPEND_MS = 5_000;
/** Rows that one look takes. */
const ROWS_MAX = 200;
/**
 * Records that wait here while the ledger is away: a tenant's admission stops at as many. What doesn't fit stays a row,
 * and is found as one.
 */
const QUEUE_MAX = 10_000;

/**
 * For how long the decision of an admitted call waits for its outcome, so that most calls cost the log one batch.
 * Nobody waits for it.
 */
const LINGER_MS = 50;

/** Milliseconds without a batch, after which what comes is taken to be alone. */
const QUIET_MS = 10;

/**
 * Rows that were logged are deleted together: after this time, far below that after which somebody sends them again, or
 * at this many.
 */
const DROP_MS = 200;
const DROPPED_MAX = 200;

/** Told what operators must see; neither may throw. */
export interface SenderWatch {
  /** The ledger doesn't take the record. It stays, and by its age it holds back admission: an operator has to look. */
  readonly refused: (recordId: string, fault: string) => void;
  /** A batch of so many records wasn't taken, or the database wasn't there for none; it is sent again. */
  readonly failed: (error: unknown, records: number) => void;
  /** The ledger has so many more records. */
  readonly logged: (records: number) => void;
}

/**
 * Brings records to the ledger. INVARIANT (a row goes last): a row of kernel.outbox is deleted only after the ledger
 * answered for it; everything else here may be lost or done twice, since the ledger drops duplicates by record_id.
 */
export class OutboxSender extends Outbox {
  readonly #bus: Bus;
  readonly #subject: string;
  readonly #workers: CrossTenantPool;
  readonly #book: LogPositionTracker;
  readonly #watch: SenderWatch;
  readonly #now: () => number;
  readonly #queue: SentRecord[] = [];
  readonly #underWay = new Set<Promise<void>>();
  #sending = false;
  /** somebody waits for one of the queue, or the time of the first that may linger is over; never of an empty queue */
  #isAwaited = false;
  /** when the last batch was answered for, or given up, by `performance.now()` */
  #sentAt = -Infinity;
  #lingering: NodeJS.Timeout | undefined;
  /** answered for by the ledger, and still rows */
  readonly #logged: string[] = [];
  #dropping: NodeJS.Timeout | undefined;

  /** `now` is epoch milliseconds by this process: only for the deadline of requests. */
  constructor(
    bus: Bus,
    subjects: Subjects,
    workers: CrossTenantPool,
    book: LogPositionTracker,
    watch: SenderWatch,
    now: () => number,
  ) {
    super();
    this.#bus = bus;
    this.#subject = subjects.request('ledger.append');
    this.#workers = workers;
    this.#book = book;
    this.#watch = watch;
    this.#now = now;
  }

  override hand(records: readonly SealedRecord[], options: { readonly mayLinger?: boolean } = {}): void {
    if (records.length === 0) return;
    if (this.#queue.length < QUEUE_MAX) this.#queue.push(...records);
    this.#isAwaited ||= options.mayLinger !== true;
    if (!this.#mustSend()) this.#lingering ??= setTimeout(() => this.#hurry(), LINGER_MS).unref();
    else if (!this.#sending) this.#follow(this.#drain());
  }

  /**
   * Sends what nobody else has: rows older than two seconds, left by a replica that died or by a ledger that didn't
   * answer. Resolves with how many were logged.
   */
  async resend(): Promise<number> {
    let sent = 0;
    for (;;) {
      const rows = await kernelSql.claimRecords(this.#workers.pool, {
        older_ms: ABANDONED_MS,
        claim_ms: CLAIM_MS,
        rows: ROWS_MAX,
      });
      const left = [...rows];
      while (left.length > 0) {
        const logged = await this.#send(takeBatch(left));
        // The ledger is away: the rest would fail too, and stays claimed for a while.
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

  /** Resolves when nothing handed over here is under way any more. */
  async idle(): Promise<void> {
    if (this.#queue.length > 0) this.#hurry();
    do {
      this.#drop();
      await Promise.all(this.#underWay);
    } while (this.#underWay.size > 0 || this.#logged.length > 0);
  }

  /** Whether what waits here goes now: somebody waits for one of it, or it fills a request. */
  #mustSend(): boolean {
    return this.#isAwaited || this.#queue.length >= LIMITS.appendRecords.max;
  }

  /** All that waits here goes now. */
  #hurry(): void {
    this.#isAwaited = true;
    if (!this.#sending) this.#follow(this.#drain());
  }

  /**
   * What comes while a batch is under way, and may linger, lingers: under a steady load none would gather otherwise.
   * Records that one turn of the event loop hands over, those of calls that were admitted by one commit for instance,
   * go together: the first of them alone would keep all others waiting for its answer. After a quiet time what comes is
   * alone, and goes before anything else that the turn tells others, since somebody waits for it.
   */
  async #drain(): Promise<void> {
    this.#sending = true;
    for (;;) {
      if (performance.now() - this.#sentAt < QUIET_MS) await endOfTurn();
      if (!this.#mustSend()) break;
      const batch = takeBatch(this.#queue);
      if (this.#queue.length === 0) this.#rest();
      await this.#send(batch);
      this.#sentAt = performance.now();
    }
    this.#sending = false;
  }

  /** Nothing waits here any more. */
  #rest(): void {
    clearTimeout(this.#lingering);
    this.#lingering = undefined;
    this.#isAwaited = false;
  }

  /**
   * Sends one batch; resolves with how many were logged, or null where nobody answered. Never rejects: rows that
   * weren't logged are found again.
   */
  async #send(batch: readonly SentRecord[]): Promise<number | null> {
    try {
      return await this.#append(batch);
    } catch (error) {
      const isRefusal = error instanceof Fault && !error.retryable;
      const parts = isRefusal ? byTenant(batch) : [];
      // One log that has diverged must not hold up the others, and the answer doesn't say which it is.
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
    const asked = new Set(batch.map(({ record_id }) => record_id));
    const { appended } = parseFromPeer(AppendReply, answer);
    const logged = appended
      .filter((entry) => asked.has(entry.record_id) && this.#isLogged(entry))
      .map(({ record_id }) => record_id);
    this.#watch.logged(logged.length);
    this.#dropLater(logged);
    return logged.length;
  }

  /** Rows that the ledger has answered for go a little later, many at once: all that they cost until then is room. */
  #dropLater(logged: readonly string[]): void {
    this.#logged.push(...logged);
    if (this.#logged.length >= DROPPED_MAX) this.#drop();
    else if (this.#logged.length > 0) this.#dropping ??= setTimeout(() => this.#drop(), DROP_MS).unref();
  }

  #drop(): void {
    clearTimeout(this.#dropping);
    this.#dropping = undefined;
    const logged = this.#logged.splice(0);
    if (logged.length > 0) this.#follow(kernelSql.dropRecords(this.#workers.pool, { records: logged }));
  }

  #isLogged({ record_id, leaf_index, tree_size, fault }: AppendReply['appended'][number]): boolean {
    if (fault !== null || leaf_index === null || tree_size === null) {
      this.#watch.refused(record_id, fault ?? 'internal');
      return false;
    }
    this.#book.noteLogged(record_id, { leaf_index, tree_size });
    return true;
  }

  #follow(work: Promise<unknown>): void {
    const followed: Promise<void> = work
      .then(
        () => undefined,
        (error: unknown) => {
          this.#watch.failed(error, 0);
        },
      )
      .finally(() => this.#underWay.delete(followed));
    this.#underWay.add(followed);
  }
}
