// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import { Fault, isFinal, type OperationView } from '@writ/contract';
import type { OutputFeed, OutputListener } from '../../calls/live-output/output-feed.ts';

/** A sign of life is sent this often: well within the half minute after which proxies close an idle connection. */
const ALIVE_MS = 5_000;
/** How often the operation is read, in case the event of its end was lost. */
const POLL_MS = 10_000;
/** How long a client waits before it reconnects, if it does. */
const RETRY_MS = 2_000;
/** Bytes that wait for a reader. Above this, output is sent later, or skipped when it is no longer kept by then. */
const BUFFER_BYTES_MAX = 64 * 1024;
/** How long the last output may take after the operation has ended. */
const LAST_OUTPUT_MS = 2_000;
/** How often it is looked for. */
const LOOK_MS = 50;
/** How long a slow reader may take to read the last events. */
const FINAL_READ_MS = 10_000;

/** A place in the output of a call. */
export interface OutputPosition {
  readonly attempt: number;
  readonly at: number;
}

export interface OutputStreamOptions {
  readonly feed: OutputFeed;
  readonly operation: OperationView;
  /** the end of the output that the reader has; null: none */
  readonly after: OutputPosition | null;
  /** Resolves after an event of the operation, or after the time; false when the process stops. */
  readonly next: (ms: number, gone: AbortSignal) => Promise<boolean>;
  /** Reads the operation as the reader may see it. */
  readonly read: () => Promise<OperationView>;
  /** Resolves while the reader's key is valid. Throws its fault when it isn't. */
  readonly verifyKey: () => Promise<unknown>;
  /** milliseconds after which it ends; null: with the operation */
  readonly forMs: number | null;
}

/**
 * Server-Sent Events (WHATWG HTML §9.2) of the output of one operation for one reader. INVARIANT (in order, once): each
 * byte is sent at most once and in order, and `skipped` names those that are missing. INVARIANT (bounded): a slow
 * reader costs its buffer alone, and delays neither the command nor other readers. INVARIANT (nothing to a lost key):
 * nothing is sent to a key that is no longer valid.
 */
export class OutputStream implements OutputListener {
  readonly readable: Readable;
  readonly #options: OutputStreamOptions;
  readonly #gone = new AbortController();
  readonly #timers: NodeJS.Timeout[] = [];
  #operation: OperationView;
  #position: OutputPosition | null;
  #isPumping = false;
  #isSendRequested = false;
  #isWithheldKnown = false;
  #isEnded = false;

  constructor(options: OutputStreamOptions) {
    this.#options = options;
    this.#operation = options.operation;
    this.#position = options.after;
    this.readable = new Readable({ read: () => this.progressed() });
    this.readable.once('close', () => this.#stop());
    const { operation_id, tool_id, state } = options.operation;
    this.readable.push(`retry: ${RETRY_MS}\n${formatEvent('ready', { v: 1, operation_id, tool_id, state })}`);
    this.#timers.push(setInterval(() => void this.#sendAlive(), ALIVE_MS).unref());
    if (options.forMs !== null) this.#timers.push(setTimeout(() => this.#close('asked'), options.forMs).unref());
    void this.#followOperation();
  }

  progressed(): void {
    this.#isSendRequested = true;
    if (!this.#isPumping) void this.#send();
  }

  stopping(): void {
    this.#close('stopping');
  }

  get #isFull(): boolean {
    return this.readable.readableLength > BUFFER_BYTES_MAX;
  }

  async #send(): Promise<void> {
    this.#isPumping = true;
    try {
      while (this.#isSendRequested && !this.#isEnded) {
        this.#isSendRequested = false;
        if (!this.#hasNews) continue;
        await this.#options.verifyKey();
        this.#sendNews();
      }
    } catch (error) {
      this.#close(endReasonOf(error));
    } finally {
      this.#isPumping = false;
    }
  }

  get #hasNews(): boolean {
    const { attempt, kept, newest } = this.#options.feed;
    if (attempt === null || this.#isFull) return false;
    if (newest.withheld) return !this.#isWithheldKnown;
    return this.#position?.attempt !== attempt || this.#position.at < kept.end;
  }

  /** Sends as much as the reader's buffer takes; its next read asks for more. */
  #sendNews(): void {
    const { feed } = this.#options;
    const { attempt, kept } = feed;
    if (attempt === null) return;
    if (this.#position?.attempt !== attempt) {
      this.#isWithheldKnown = false;
      this.#position = { attempt, at: 0 };
      this.#push(formatEvent('attempt', { attempt }));
    }
    if (feed.newest.withheld) {
      if (!this.#isWithheldKnown) this.#push(formatEvent('withheld', { why: 'the call has secrets' }));
      this.#isWithheldKnown = true;
      return;
    }
    let from: number = this.#position.at;
    while (!this.#isFull && !this.#isEnded && from < kept.end) {
      const bytes = from < kept.start ? null : kept.pieceAt(from);
      const to: number = bytes === null ? kept.start : from + bytes.length;
      const data = { attempt, from, to, ...(bytes === null ? {} : { text: textOf(bytes) }) };
      this.#push(formatEvent(bytes === null ? 'skipped' : 'output', data, `${attempt}.${to}`));
      this.#position = { attempt, at: to };
      from = to;
    }
  }

  /** Reads the operation when it changes, up to its end. */
  async #followOperation(): Promise<void> {
    try {
      while (!isFinal(this.#operation.state)) {
        if (!(await this.#options.next(POLL_MS, this.#gone.signal))) return;
        this.#operation = await this.#refreshed();
      }
      await this.#finish();
    } catch (error) {
      this.#close(endReasonOf(error));
    }
  }

  /** A temporary failure returns the last view, since the next poll reads it again. */
  async #refreshed(): Promise<OperationView> {
    try {
      return await this.#options.read();
    } catch (error) {
      if (error instanceof Fault && error.retryable) return this.#operation;
      throw error;
    }
  }

  /** Sends the rest of the output as far as it comes soon, and then the outcome. */
  async #finish(): Promise<void> {
    const { feed } = this.#options;
    const isRun = this.#operation.attempt > 0 && this.#operation.state !== 'refused';
    const until = performance.now() + LAST_OUTPUT_MS;
    while (isRun && !this.#isEnded && performance.now() < until && !this.#hasAll(feed)) {
      this.progressed();
      if (!(await this.#options.next(LOOK_MS, this.#gone.signal))) break;
    }
    if (this.#isEnded) return;
    await this.#options.verifyKey();
    const { state, attempt, result } = this.#operation;
    const error = result?.error ?? null;
    this.#end({
      reason: 'ended',
      state,
      attempt,
      tx_outcome: result?.tx_outcome ?? null,
      exit_code: exitCodeOf(result?.result),
      error: error === null ? null : { code: error.code, message: error.message },
      output_bytes: feed.newest.output_bytes,
      withheld: feed.newest.withheld,
    });
  }

  #hasAll(feed: OutputFeed): boolean {
    // Of a call that had ended before, no executor has anything.
    if (feed.attempt === null) return isFinal(this.#options.operation.state);
    return feed.isComplete && (feed.newest.withheld || this.#position?.at === feed.kept.end);
  }

  async #sendAlive(): Promise<void> {
    try {
      await this.#options.verifyKey();
    } catch (error) {
      return this.#close(endReasonOf(error));
    }
    const { attempt, newest, silentMs } = this.#options.feed;
    const { output_bytes, withheld } = newest;
    if (!this.#isFull)
      this.#push(
        formatEvent('alive', { state: this.#operation.state, attempt, output_bytes, withheld, heard_ms_ago: silentMs }),
      );
  }

  #push(text: string): void {
    if (!this.#isEnded) this.readable.push(text);
  }

  #close(reason: 'asked' | 'stopping' | 'auth' | 'unavailable'): void {
    this.#end({ reason });
  }

  #end(data: object): void {
    if (this.#isEnded) return;
    this.#push(formatEvent('end', data));
    this.#stop();
    this.readable.push(null);
    const timer = setTimeout(() => this.readable.destroy(), FINAL_READ_MS).unref();
    this.readable.once('close', () => clearTimeout(timer));
  }

  #stop(): void {
    this.#isEnded = true;
    this.#gone.abort();
    for (const timer of this.#timers) clearTimeout(timer);
  }
}

/** Bytes that are no UTF-8, and NUL, show as U+FFFD, as in a result. */
const textOf = (bytes: Buffer): string => bytes.toString('utf8').replaceAll('\0', '\uFFFD');

function exitCodeOf(result: unknown): number | null {
  const code = (result as { readonly exit_code?: unknown } | null | undefined)?.exit_code;
  return typeof code === 'number' ? code : null;
}

/** The reason of the end: `auth` for a key that is no longer valid, else `unavailable`. */
const endReasonOf = (error: unknown): 'auth' | 'unavailable' =>
  error instanceof Fault && error.status === 401 ? 'auth' : 'unavailable';

const formatEvent = (name: string, data: object, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
