// Fills the index of records after the appends. INVARIANT (never in the way): an append, a receipt and a checkpoint
// wait for no index. It takes at most a fifth of the time, a batch of some milliseconds at once. Every answer says how
// far the index is.
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@writ/contract';
import { Repeated } from '@writ/nest-kit';
import type { IndexStore } from './index-store.ts';
import type { Drawn } from '../foundation/ledger-functions.ts';

/** From one round to the next: how far behind the index is on a quiet machine. */
const ROUND_MS = 250;
/**
 * After each batch it rests so many times as long as that took: what comes in between finds the processor and the
 * database to itself.
 */
const REST_SHARE = 4;
const REST_MS_MAX = 10_000;
/** Logs that are indexed in one transaction: where each has a few records, most of the cost is the transaction's. */
const LOGS_AT_ONCE = 64;
/** Batches of these logs before other logs have their turn. */
const BATCHES_IN_TURN = 20;

/**
 * Which logs have, or may have, records that aren't indexed: told of by who appended, by who asked, and by the ledger's
 * memory at its start.
 */
export class DueLogs {
  /** since when each is due, by `performance.now()` */
  readonly #tenants = new Map<string, number>();
  /** the same of those that are being looked at: one that isn't done goes on to wait */
  #taken: ReadonlyMap<string, number> = new Map();

  add(tenants: Iterable<string>): void {
    for (const tenant of tenants)
      if (!this.#tenants.has(tenant)) this.#tenants.set(tenant, this.#taken.get(tenant) ?? performance.now());
  }

  /** Those of now. What is added meanwhile waits for the next time. */
  take(): string[] {
    this.#taken = new Map(this.#tenants);
    this.#tenants.clear();
    return [...this.#taken.keys()];
  }

  /** How many wait. */
  get size(): number {
    return this.#tenants.size;
  }

  /** Since when the one that has waited longest waits, by `performance.now()`; null where none does. */
  get oldestAt(): number | null {
    return this.#tenants.size === 0 ? null : Math.min(...this.#tenants.values());
  }
}

/** Milliseconds of rest after a batch that took so many. */
export const restAfter = (batchMs: number): number => Math.min(REST_SHARE * batchMs, REST_MS_MAX);

const isAway = (error: unknown): boolean => error instanceof Fault && error.code === 'database.unavailable';

/** Indexes batches: an IndexStore. */
type Store = Pick<IndexStore, 'drawNext'>;

export class Indexer {
  readonly #due: DueLogs;
  readonly #store: Store;
  readonly #onError: (error: unknown) => void;
  readonly #rounds: Repeated;
  readonly #stopping = new AbortController();

  /** @param onError told of our own faults, as a database that is away; the log stays due */
  constructor(due: DueLogs, store: Store, onError: (error: unknown) => void) {
    this.#due = due;
    this.#store = store;
    this.#onError = onError;
    this.#rounds = new Repeated(() => this.round(), ROUND_MS, onError);
  }

  /** Goes round until it is stopped. */
  start(): void {
    this.#rounds.start();
  }

  /** Resolves when the batch under way has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#rounds.stop();
  }

  /** One round: some batches of every log that is due, several logs in one. One that isn't done stays due. */
  async round(): Promise<void> {
    const tenants = this.#due.take();
    for (let at = 0; at < tenants.length && !this.#isStopping; at += LOGS_AT_ONCE)
      await this.#draw(tenants.slice(at, at + LOGS_AT_ONCE));
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #draw(tenants: readonly string[]): Promise<void> {
    try {
      this.#due.add(await this.#turn(tenants));
    } catch (error) {
      if (tenants.length > 1 && !isAway(error)) {
        // A log that can't be indexed delays no other log.
        for (const tenantId of tenants) await this.#draw([tenantId]);
        return;
      }
      this.#due.add(tenants);
      this.#onError(error);
    }
  }

  /** Resolves with the tenants whose logs are not fully indexed. */
  async #turn(tenants: readonly string[]): Promise<readonly string[]> {
    const taken: string[] = [];
    let left = tenants;
    for (let batch = 0; batch < BATCHES_IN_TURN && left.length > 0 && !this.#isStopping; batch += 1) {
      const said = await this.#drawNext(left);
      // Another replica that has the log's lock may have looked before the newest leaf was there.
      taken.push(...left.filter((tenantId) => said.get(tenantId) === 'taken'));
      // A log that is far behind yields to those that haven't had their turn.
      left = [
        ...left.filter((tenantId) => said.get(tenantId) === 'waits'),
        ...left.filter((tenantId) => said.get(tenantId) === 'more'),
      ];
    }
    return [...taken, ...left];
  }

  async #drawNext(tenants: readonly string[]): Promise<ReadonlyMap<string, Drawn>> {
    const began = performance.now();
    try {
      return await this.#store.drawNext(tenants);
    } finally {
      // Until it is stopped.
      await sleep(restAfter(performance.now() - began), undefined, { signal: this.#stopping.signal }).catch(
        () => undefined,
      );
    }
  }
}
