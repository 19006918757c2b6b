// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import type { ExportReply, TenantId } from '@writ/contract';
import type { ExportFormat } from './export-format.ts';
import type { LedgerClient } from '../ledger-client.ts';
import type { ExportHub } from './export-hub.ts';
import { linesOf } from './record-lines.ts';
import { PAGE_RECORDS, readPage } from './record-pages.ts';
import { TailWaiter } from './tail-waiter.ts';

/** Proxies close connections that are idle for half a minute or a minute. A lost event delays records by this time. */
const HEARTBEAT_MS = 15_000;
/** On a busy log many records are logged in this time, and are fetched together. */
const GATHER_MS = 100;
/** How long a reader may take to read the rest of the stream when the process stops. */
const FINAL_READ_MS = 5_000;

/** The options of an export. */
export interface ExportOptions {
  readonly tenantId: TenantId;
  readonly format: ExportFormat;
  /** the first leaf to export */
  readonly from: number;
  /** most records to export */
  readonly limit: number;
  readonly follow: boolean;
  /** Resolves while the reader's key is valid. Throws its fault when it isn't. */
  readonly verifyKey: () => Promise<unknown>;
  /** Aborts when the reader disconnects. */
  readonly gone: AbortSignal;
}

/**
 * Exports records as lines. INVARIANT (no buffer): a page is fetched after the reader has consumed the previous one, so
 * a slow reader costs one page of memory. INVARIANT (no gap): lines are in the order of leaves and none is missing; an
 * export that fails breaks off without a regular end.
 */
export class ExportRecords {
  readonly #ledger: LedgerClient;
  readonly #hub: ExportHub;

  constructor(ledger: LedgerClient, hub: ExportHub) {
    this.#ledger = ledger;
    this.#hub = hub;
  }

  /**
   * Returns the lines as a stream, after it has read the first page. Faults: `rate.limited`, `ledger.unavailable`,
   * `ledger.diverged`, `overloaded`.
   */
  async run(options: ExportOptions): Promise<Readable> {
    const tail = new TailWaiter(HEARTBEAT_MS, GATHER_MS);
    let readable: Readable | undefined;
    const unregister = this.#hub.register(options.tenantId, {
      logGrew: () => tail.wake(),
      stopping: () => {
        tail.stop();
        setTimeout(() => readable?.destroy(), FINAL_READ_MS).unref();
      },
    });
    options.gone.addEventListener('abort', () => tail.stop(), { once: true });
    try {
      const first = await this.#page(options, options.from, options.limit, tail.stopped);
      readable = Readable.from(this.#lines(options, first, tail), { objectMode: false });
    } catch (error) {
      unregister();
      throw error;
    }
    readable.once('close', () => {
      tail.stop();
      unregister();
    });
    return readable;
  }

  async *#lines(options: ExportOptions, first: ExportReply | null, tail: TailWaiter): AsyncGenerator<string> {
    // Records that are logged while an export runs are not part of it, unless it follows the log.
    const end = options.follow ? Infinity : (first?.newest_size ?? 0);
    let [page, at, left] = [first, options.from, options.limit];
    for (;;) {
      const records = page?.records ?? [];
      if (page !== null && records.length > 0) yield await linesOf(options.format, page);
      // Headers are sent with the first bytes. An empty line sends them at once to a reader that follows a log without
      // new records.
      else if (page === first && options.follow) yield '\n';
      at += records.length;
      left -= records.length;
      if (left <= 0 || at >= end) return;
      if (at >= (page?.newest_size ?? 0) && (await tail.waitForMore()) === 'silence') yield '\n';
      if (tail.isStopped) return;
      await options.verifyKey();
      page = await this.#page(options, at, Math.min(left, end - at), tail.stopped);
    }
  }

  async #page(
    { tenantId }: ExportOptions,
    from: number,
    limit: number,
    gone: AbortSignal,
  ): Promise<ExportReply | null> {
    return await readPage(this.#ledger, tenantId, { from, limit: Math.min(limit, PAGE_RECORDS), treeSize: null, gone });
  }
}
