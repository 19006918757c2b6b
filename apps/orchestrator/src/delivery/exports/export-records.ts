// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import type { ExportReply, TenantId } from '@writ/contract';
import type { ExportFormat } from './export-format.ts';
import type { LedgerClient } from '../ledger-client.ts';
import type { ExportHub } from './export-hub.ts';
import { linesOf } from './lines.ts';
import { PAGE_RECORDS, readPage } from './record-pages.ts';
import { Waiting } from './waiting.ts';

/** Proxies close what is silent for half a minute or a minute. An event that was lost costs this much. */
const HEARTBEAT_MS = 15_000;
/** On a busy log many records are told of in this time, and are asked for at once. */
const GATHER_MS = 100;
/** How long a reader may take to read what is under way when the process stops. */
const LAST_WORDS_MS = 5_000;

/** What somebody wants of a tenant's log. */
export interface ExportWish {
  readonly tenantId: TenantId;
  readonly format: ExportFormat;
  /** the first leaf wanted */
  readonly from: number;
  /** records at most */
  readonly limit: number;
  readonly follow: boolean;
  /** Resolves while the reader's key is valid. Throws its fault when it isn't. */
  readonly verifyKey: () => Promise<unknown>;
  /** Aborts when the reader goes away. */
  readonly gone: AbortSignal;
}

/**
 * Exports records as lines. INVARIANT (no buffer): a page is asked for when the one before it was taken, so a slow
 * reader costs one page of memory. INVARIANT (no gap): lines are in the order of leaves and none is left out; an export
 * that can't go on breaks off rather than ends.
 */
export class ExportRecords {
  readonly #ledger: LedgerClient;
  readonly #hub: ExportHub;

  constructor(ledger: LedgerClient, hub: ExportHub) {
    this.#ledger = ledger;
    this.#hub = hub;
  }

  /**
   * The lines, their first page read already. Faults: `rate.limited`, `ledger.unavailable`, `ledger.diverged`,
   * `overloaded`.
   */
  async run(wish: ExportWish): Promise<Readable> {
    const waiting = new Waiting(HEARTBEAT_MS, GATHER_MS);
    let readable: Readable | undefined;
    const leave = this.#hub.join(wish.tenantId, {
      grew: () => waiting.wake(),
      stopping: () => {
        waiting.stop();
        setTimeout(() => readable?.destroy(), LAST_WORDS_MS).unref();
      },
    });
    wish.gone.addEventListener('abort', () => waiting.stop(), { once: true });
    try {
      const first = await this.#page(wish, wish.from, wish.limit, waiting.stopped);
      readable = Readable.from(this.#lines(wish, first, waiting), { objectMode: false });
    } catch (error) {
      leave();
      throw error;
    }
    readable.once('close', () => {
      waiting.stop();
      leave();
    });
    return readable;
  }

  async *#lines(wish: ExportWish, first: ExportReply | null, waiting: Waiting): AsyncGenerator<string> {
    // What is logged while an export runs belongs to the next one, unless it is followed.
    const end = wish.follow ? Infinity : (first?.newest_size ?? 0);
    let [page, at, left] = [first, wish.from, wish.limit];
    for (;;) {
      const records = page?.records ?? [];
      if (page !== null && records.length > 0) yield await linesOf(wish.format, page);
      // Headers leave with the first bytes: who follows a log with nothing new is let know at once that it does.
      else if (page === first && wish.follow) yield '\n';
      at += records.length;
      left -= records.length;
      if (left <= 0 || at >= end) return;
      if (at >= (page?.newest_size ?? 0) && (await waiting.forMore()) === 'silence') yield '\n';
      if (waiting.isStopped) return;
      await wish.verifyKey();
      page = await this.#page(wish, at, Math.min(left, end - at), waiting.stopped);
    }
  }

  async #page({ tenantId }: ExportWish, from: number, limit: number, gone: AbortSignal): Promise<ExportReply | null> {
    return await readPage(this.#ledger, tenantId, { from, limit: Math.min(limit, PAGE_RECORDS), treeSize: null, gone });
  }
}
