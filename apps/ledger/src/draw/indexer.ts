// SPDX-License-Identifier: Apache-2.0
//
// Draws the index of records behind the appends. INVARIANT (never in the way): an append, a receipt and a checkpoint wait for no index, and it takes at most a fifth of
// the time; how far it is, every answer says.
import { Repeated } from '@writ/nest-kit';
import type { IndexStore } from '../records/index-store.ts';

/** From one round to the next: how far behind the index is on a quiet machine. */
const ROUND_MS = 250;
/** Under load it rests so many times as long as a round took: rounds become rarer and their batches larger, which cost less for each record. */
const REST_SHARE = 4;
const REST_MS_MAX = 10_000;
/** Batches of a log before the others have their turn. */
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

  /** One round: some batches of every log that is due, one log after the other. One that isn't done stays due. */
  async round(): Promise<void> {
    for (const tenantId of this.#due.take()) {
      if (this.#isStopping) return;
      try {
        if (!(await this.#turn(tenantId))) this.#due.add([tenantId]);
      } catch (error) {
        this.#due.add([tenantId]);
        this.#onError(error);
      }
    }
  }

  /** Answers whether all of the log is drawn. */
  async #turn(tenantId: string): Promise<boolean> {
    for (let batch = 0; batch < BATCHES_IN_TURN && !this.#isStopping; batch += 1) {
      const said = await this.#store.drawNext(tenantId);
      // Another replica that has the log's lock may have looked before the newest leaf was there.
      if (said !== 'more') return said === 'done';
    }
    return false;
  }
}
