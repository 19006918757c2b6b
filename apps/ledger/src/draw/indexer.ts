// SPDX-License-Identifier: Apache-2.0
//
// Draws the index of records behind the appends. INVARIANT (never in the way): an append, a receipt and a checkpoint wait for no index, and it takes at most a fifth of
// the time; how far it is, every answer says.
import { Fault } from '@writ/contract';
import { Repeated } from '@writ/nest-kit';
import type { IndexStore } from '../records/index-store.ts';

/** From one round to the next: how far behind the index is on a quiet machine. */
const ROUND_MS = 250;
/** Under load it rests so many times as long as a round took: rounds become rarer and their batches larger, which cost less for each record. */
const REST_SHARE = 4;
const REST_MS_MAX = 10_000;
/** Logs that are drawn in one transaction: where each has a few records, most of the cost is the transaction's. */
const LOGS_AT_ONCE = 64;
/** Batches of those before the others have their turn. */
const BATCHES_IN_TURN = 4;

/** Which logs have, or may have, records that aren't indexed: told of by who appended, by who asked, and by the ledger's memory at its start. */
export class DueLogs {
  readonly #tenants = new Set<string>();

  add(tenants: Iterable<string>): void {
    for (const tenant of tenants) this.#tenants.add(tenant);
  }

  /** Those of now. What is added meanwhile waits for the next time. */
  take(): string[] {
    const tenants = [...this.#tenants];
    this.#tenants.clear();
    return tenants;
  }
}

/** Milliseconds of rest after a round that took so many. */
export const restAfter = (roundMs: number): number => Math.min(Math.max(ROUND_MS, REST_SHARE * roundMs), REST_MS_MAX);

const isAway = (error: unknown): boolean => error instanceof Fault && error.code === 'database.unavailable';

export class Indexer {
  readonly #due: DueLogs;
  readonly #store: IndexStore;
  readonly #onError: (error: unknown) => void;
  readonly #rounds: Repeated;
  #isStopping = false;

  /** @param onError told of our own faults, as a database that is away; the log stays due */
  constructor(due: DueLogs, store: IndexStore, onError: (error: unknown) => void) {
    this.#due = due;
    this.#store = store;
    this.#onError = onError;
    this.#rounds = new Repeated(() => this.round(), restAfter, onError);
  }

  /** Goes round until it is stopped. */
  start(): void {
    this.#rounds.start();
  }

  /** Resolves when the batch under way has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#rounds.stop();
  }

  /** One round: some batches of every log that is due, several logs in one. One that isn't done stays due. */
  async round(): Promise<void> {
    const tenants = this.#due.take();
    for (let at = 0; at < tenants.length && !this.#isStopping; at += LOGS_AT_ONCE) await this.#draw(tenants.slice(at, at + LOGS_AT_ONCE));
  }

  async #draw(tenants: readonly string[]): Promise<void> {
    try {
      this.#due.add(await this.#turn(tenants));
    } catch (error) {
      if (tenants.length > 1 && !isAway(error)) {
        // One log that can't be drawn holds up no other.
        for (const tenantId of tenants) await this.#draw([tenantId]);
        return;
      }
      this.#due.add(tenants);
      this.#onError(error);
    }
  }

  /** Resolves with those of which not all is drawn. */
  async #turn(tenants: readonly string[]): Promise<readonly string[]> {
    const taken: string[] = [];
    let left = tenants;
    for (let batch = 0; batch < BATCHES_IN_TURN && left.length > 0 && !this.#isStopping; batch += 1) {
      const said = await this.#store.drawNext(left);
      // Another replica that has the log's lock may have looked before the newest leaf was there.
      taken.push(...left.filter((tenantId) => said.get(tenantId) === 'taken'));
      // One that is far behind stands back for those that haven't had their turn.
      left = [...left.filter((tenantId) => said.get(tenantId) === 'waits'), ...left.filter((tenantId) => said.get(tenantId) === 'more')];
    }
    return [...taken, ...left];
  }
}
