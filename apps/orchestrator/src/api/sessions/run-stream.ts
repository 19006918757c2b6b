// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import { Fault, type RunNews } from '@writ/contract';
import type { RunEventRow } from '../../store/sessions/run-events.ts';
import type { RunWatcher } from '../../runs/sessions/run-hub.ts';
import { eventView } from './run-views.ts';

/** Proxies close what is silent for half a minute or a minute. */
const HEARTBEAT_MS = 15_000;
/** How often it is looked for events that nobody was heard to tell of. */
const LOOK_MS = 2_000;
/** What a client waits before it connects again, where it is one that does. */
const RETRY_MS = 2_000;
/** Bytes that wait for a reader: kept events are read when it has taken them; what streams is left out meanwhile. */
const BUFFER_BYTES_MAX = 256 * 1024;
/** Events read at once. */
const ROWS = 50;

export interface RunStreamOptions {
  readonly runId: string;
  readonly state: string;
  /** the last event that the reader has */
  readonly after: number;
  /** kept events after a place, in order */
  readonly read: (after: number, limit: number) => Promise<RunEventRow[]>;
  /** Resolves while the reader's key is valid. Throws its fault when it isn't. */
  readonly verifyKey: () => Promise<unknown>;
  /** milliseconds after which it ends; null: with the run */
  readonly forMs: number | null;
}

/**
 * Server-Sent Events (WHATWG HTML §9.2) of one run for one reader. INVARIANTS: a kept event is sent once and in its
 * order, however its news came or was lost; what streams is never between the reader and a kept event; nothing leaves
 * to a key that is valid no more.
 */
export class RunStream implements RunWatcher {
  readonly readable: Readable;
  readonly #options: RunStreamOptions;
  readonly #timers: NodeJS.Timeout[] = [];
  #sent: number;
  /** how far events are known to be kept */
  #known = 0;
  #isPumping = false;
  #isAgain = false;
  #isEnded = false;

  constructor(options: RunStreamOptions) {
    this.#options = options;
    this.#sent = options.after;
    this.readable = new Readable({ read: () => this.#pump() });
    this.readable.once('close', () => this.#stop());
    this.readable.push(
      `retry: ${RETRY_MS}\n${block('ready', { v: 1, run_id: options.runId, state: options.state, after: options.after })}`,
    );
    this.#timers.push(
      setInterval(() => void this.#beat(), HEARTBEAT_MS).unref(),
      setInterval(() => this.#pump(), LOOK_MS).unref(),
    );
    if (options.forMs !== null) this.#timers.push(setTimeout(() => void this.#leave('asked'), options.forMs).unref());
  }

  heard({ seq, live }: RunNews): void {
    this.#known = Math.max(this.#known, seq);
    if (this.#sent < this.#known) return this.#pump();
    // News that came late: what streamed then is in an event that the reader has, or would stand behind it.
    if (seq < this.#sent || this.#isPumping || this.#isFull) return;
    for (const { event, data } of live) this.#push(block(event, data));
  }

  stopping(): void {
    this.#close('stopping');
  }

  get #isFull(): boolean {
    return this.readable.readableLength > BUFFER_BYTES_MAX;
  }

  /** Sends what is kept and not sent, until the reader has enough to read. */
  #pump(): void {
    this.#isAgain = true;
    if (!this.#isPumping) void this.#send();
  }

  async #send(): Promise<void> {
    this.#isPumping = true;
    try {
      while (this.#isAgain && !this.#isEnded && !this.#isFull) {
        this.#isAgain = false;
        await this.#sendPage();
      }
    } catch (error) {
      this.#close(whyBroken(error));
    } finally {
      this.#isPumping = false;
    }
  }

  async #sendPage(): Promise<void> {
    const rows = await this.#options.read(this.#sent, ROWS);
    if (rows.length > 0) await this.#options.verifyKey();
    for (const row of rows) {
      this.#push(block(row.event.kind, eventView(row), row.seq));
      this.#sent = row.seq;
      if (row.event.kind === 'ended') return this.#finish();
    }
    if (rows.length === ROWS) this.#isAgain = true;
    // The end is kept with the state: whoever asked behind it has all that there ever will be.
    else if (this.#options.state === 'ended') this.#finish();
  }

  /** As long as was asked for, with all that is kept by then. */
  async #leave(reason: 'asked'): Promise<void> {
    try {
      await this.#sendPage();
      this.#close(reason);
    } catch (error) {
      this.#close(whyBroken(error));
    }
  }

  async #beat(): Promise<void> {
    try {
      await this.#options.verifyKey();
      if (!this.#isFull) this.#push(': still here\n\n');
    } catch (error) {
      this.#close(whyBroken(error));
    }
  }

  #push(text: string): void {
    if (!this.#isEnded) this.readable.push(text);
  }

  #close(reason: 'asked' | 'stopping' | 'auth' | 'unavailable'): void {
    this.#push(block('end', { reason }));
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

/** A reader whose key is valid no more is told so; any other breaks off without all that is kept. */
const whyBroken = (error: unknown): 'auth' | 'unavailable' =>
  error instanceof Fault && error.status === 401 ? 'auth' : 'unavailable';

const block = (name: string, data: object, id?: number): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
