// Fills the index of records after the appends. INVARIANT (never in the way): an append, a receipt and a checkpoint
// never wait for the index. The indexer uses at most a fifth of the time, in batches of some milliseconds. Every search
// result tells how far the index is filled.
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@writ/contract';
import { Repeated } from '@writ/nest-kit';
import type { IndexStore } from './index-store.ts';
import type { IndexProgress } from '../foundation/ledger-functions.ts';

/** The interval of rounds: how far behind the index is on a quiet machine. */
const ROUND_MS = 250;
/**
 * The rest after each batch, as a multiple of the batch's time: during the rest, other requests have the processor and
 * the database to themselves.
 */
const REST_SHARE = 4;
const REST_MS_MAX = 10_000;
/** Logs that are indexed in one transaction: with a few records each, most of the cost is that of the transaction. */
const LOGS_PER_BATCH = 64;
/** Batches of these logs before other logs get their turn. */
const BATCHES_IN_TURN = 20;

/**
 * The logs that have, or may have, records without an index row: reported by appends, by searches, and by the ledger's
 * memory file at startup.
 */
export class DueLogs {
  /** the time since which each is due, by `performance.now()` */
  readonly #tenants = new Map<string, number>();
  /** the same for the logs of the current round: one that isn't done keeps its time */
  #inRound: ReadonlyMap<string, number> = new Map();

  add(tenants: Iterable<string>): void {
    for (const tenant of tenants)
      if (!this.#tenants.has(tenant)) this.#tenants.set(tenant, this.#inRound.get(tenant) ?? performance.now());
  }

  /** The logs that are due now. Logs that are added later wait for the next round. */
  startRound(): string[] {
    this.#inRound = new Map(this.#tenants);
    this.#tenants.clear();
    return [...this.#inRound.keys()];
  }

  /** How many logs wait. */
  get size(): number {
    return this.#tenants.size;
  }

  /** The time since which the oldest log waits, by `performance.now()`; null where none does. */
  get oldestAt(): number | null {
    return this.#tenants.size === 0 ? null : Math.min(...this.#tenants.values());
  }
}

/** Milliseconds of rest after a batch that took so many milliseconds. */
export const restAfter = (batchMs: number): number => Math.min(REST_SHARE * batchMs, REST_MS_MAX);

const isUnavailable = (error: unknown): boolean => error instanceof Fault && error.code === 'database.unavailable';

/** The part of IndexStore that indexes batches. */
type Store = Pick<IndexStore, 'indexNext'>;

export class Indexer {
  readonly #due: DueLogs;
  readonly #store: Store;
  readonly #onError: (error: unknown) => void;
  readonly #rounds: Repeated;
  readonly #stopping = new AbortController();

  /** @param onError receives faults of the ledger, such as an unreachable database; the log stays due */
  constructor(due: DueLogs, store: Store, onError: (error: unknown) => void) {
    this.#due = due;
    this.#store = store;
    this.#onError = onError;
    this.#rounds = new Repeated(() => this.round(), ROUND_MS, onError);
  }

  /** Starts rounds until it is stopped. */
  start(): void {
    this.#rounds.start();
  }

  /** Resolves when the running batch has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#rounds.stop();
  }

  /** One round: some batches of every log that is due, several logs in one. One that isn't done stays due. */
  async round(): Promise<void> {
    const tenants = this.#due.startRound();
    for (let at = 0; at < tenants.length && !this.#isStopping; at += LOGS_PER_BATCH)
      await this.#index(tenants.slice(at, at + LOGS_PER_BATCH));
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #index(tenants: readonly string[]): Promise<void> {
    try {
      this.#due.add(await this.#indexInTurn(tenants));
    } catch (error) {
      if (tenants.length > 1 && !isUnavailable(error)) {
        // A log that can't be indexed delays no other log.
        for (const tenantId of tenants) await this.#index([tenantId]);
        return;
      }
      this.#due.add(tenants);
      this.#onError(error);
    }
  }

  /** Resolves with the tenants whose logs are not fully indexed. */
  async #indexInTurn(tenants: readonly string[]): Promise<readonly string[]> {
    const lockedElsewhere: string[] = [];
    let left = tenants;
    for (let batch = 0; batch < BATCHES_IN_TURN && left.length > 0 && !this.#isStopping; batch += 1) {
      const progress = await this.#indexNext(left);
      // Another replica that holds the log's lock may have read before the newest leaf was committed.
      lockedElsewhere.push(...left.filter((tenantId) => progress.get(tenantId) === 'taken'));
      // A log that is far behind yields to those that haven't had their turn.
      left = [
        ...left.filter((tenantId) => progress.get(tenantId) === 'waits'),
        ...left.filter((tenantId) => progress.get(tenantId) === 'more'),
      ];
    }
    return [...lockedElsewhere, ...left];
  }

  async #indexNext(tenants: readonly string[]): Promise<ReadonlyMap<string, IndexProgress>> {
    const began = performance.now();
    try {
      return await this.#store.indexNext(tenants);
    } finally {
      // Until it is stopped.
      await sleep(restAfter(performance.now() - began), undefined, { signal: this.#stopping.signal }).catch(
        () => undefined,
      );
    }
  }
}
