// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import { Fault, type RunUpdate } from '@writ/contract';
import type { RunEventRow } from '../../store/session-rows/run-events.ts';
import type { RunWatcher } from '../../runs/conversations/run-hub.ts';
import { eventView } from './run-views.ts';

/** Proxies close connections that are idle for half a minute or a minute. */
const HEARTBEAT_MS = 15_000;
/** How often the store is polled, in case a message about an event was lost. */
const POLL_MS = 2_000;
/** How long a client waits before it reconnects, if it does. */
const RETRY_MS = 2_000;
/** Bytes that wait for a reader. Above this, stored events are read later, and streamed text is dropped. */
const BUFFER_BYTES_MAX = 256 * 1024;
/** Events of one read. */
const ROWS = 50;

export interface RunStreamOptions {
  readonly runId: string;
  readonly state: string;
  /** the last event that the reader has */
  readonly after: number;
  /** reads stored events after a position, in order */
  readonly read: (after: number, limit: number) => Promise<RunEventRow[]>;
  /** Resolves while the reader's key is valid. Throws its fault when it isn't. */
  readonly verifyKey: () => Promise<unknown>;
  /** milliseconds after which it ends; null: with the run */
  readonly forMs: number | null;
}

/**
 * Server-Sent Events (WHATWG HTML §9.2) of one run for one reader. INVARIANT (each event once): a stored event is sent
 * once and in order, even if messages about it are lost or late. INVARIANT (events first): streamed text never delays a
 * stored event. INVARIANT (nothing to a lost key): nothing is sent to a key that is no longer valid.
 */
export class RunStream implements RunWatcher {
  readonly readable: Readable;
  readonly #options: RunStreamOptions;
  readonly #timers: NodeJS.Timeout[] = [];
  #sentSeq: number;
  /** the last event that is known to be stored */
  #storedSeq = 0;
  #isPumping = false;
  #isSendRequested = false;
  #isEnded = false;

  constructor(options: RunStreamOptions) {
    this.#options = options;
    this.#sentSeq = options.after;
    this.readable = new Readable({ read: () => this.#pump() });
    this.readable.once('close', () => this.#stop());
    this.readable.push(
      `retry: ${RETRY_MS}\n${formatEvent('ready', { v: 1, run_id: options.runId, state: options.state, after: options.after })}`,
    );
    this.#timers.push(
      setInterval(() => void this.#sendHeartbeat(), HEARTBEAT_MS).unref(),
      setInterval(() => this.#pump(), POLL_MS).unref(),
    );
    if (options.forMs !== null)
      this.#timers.push(setTimeout(() => void this.#endAsRequested('asked'), options.forMs).unref());
  }

  receive({ seq, live }: RunUpdate): void {
    this.#storedSeq = Math.max(this.#storedSeq, seq);
    if (this.#sentSeq < this.#storedSeq) return this.#pump();
    // A late message: its text is part of an event that the reader has, or would follow a later event.
    if (seq < this.#sentSeq || this.#isPumping || this.#isFull) return;
    for (const { event, data } of live) this.#push(formatEvent(event, data));
  }

  stopping(): void {
    this.#close('stopping');
  }

  get #isFull(): boolean {
    return this.readable.readableLength > BUFFER_BYTES_MAX;
  }

  /** Sends stored events that were not sent yet, until the reader's buffer is full. */
  #pump(): void {
    this.#isSendRequested = true;
    if (!this.#isPumping) void this.#send();
  }

  async #send(): Promise<void> {
    this.#isPumping = true;
    try {
      while (this.#isSendRequested && !this.#isEnded && !this.#isFull) {
        this.#isSendRequested = false;
        await this.#sendPage();
      }
    } catch (error) {
      this.#close(endReasonOf(error));
    } finally {
      this.#isPumping = false;
    }
  }

  async #sendPage(): Promise<void> {
    const rows = await this.#options.read(this.#sentSeq, ROWS);
    if (rows.length > 0) await this.#options.verifyKey();
    for (const row of rows) {
      this.#push(formatEvent(row.event.kind, eventView(row), row.seq));
      this.#sentSeq = row.seq;
      if (row.event.kind === 'ended') return this.#finish();
    }
    if (rows.length === ROWS) this.#isSendRequested = true;
    // The event of the end is committed with the state `ended`: a reader behind it has all events.
    else if (this.#options.state === 'ended') this.#finish();
  }

  /** Ends the stream after the requested time, with all events that are stored by then. */
  async #endAsRequested(reason: 'asked'): Promise<void> {
    try {
      await this.#sendPage();
      this.#close(reason);
    } catch (error) {
      this.#close(endReasonOf(error));
    }
  }

  async #sendHeartbeat(): Promise<void> {
    try {
      await this.#options.verifyKey();
      if (!this.#isFull) this.#push(': still here\n\n');
    } catch (error) {
      this.#close(endReasonOf(error));
    }
  }

  #push(text: string): void {
    if (!this.#isEnded) this.readable.push(text);
  }

  #close(reason: 'asked' | 'stopping' | 'auth' | 'unavailable'): void {
    this.#push(formatEvent('end', { reason }));
    this.#finish();
  }

  #finish(): void {
    if (this.#isEnded) return;
    this.#stop();
    this.readable.push(null);
  }

  #stop(): void {
    this.#isEnded = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }
}

/** The reason of the end: `auth` for a key that is no longer valid, else `unavailable`. */
const endReasonOf = (error: unknown): 'auth' | 'unavailable' =>
  error instanceof Fault && error.status === 401 ? 'auth' : 'unavailable';

const formatEvent = (name: string, data: object, id?: number): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
