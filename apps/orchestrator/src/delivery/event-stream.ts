// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import { Fault, type OperationEvent } from '@writ/contract';
import type { Listener } from '../calls/event-hub.ts';

/** Proxies close what is silent for half a minute or a minute. */
const HEARTBEAT_MS = 15_000;
/** Events and bytes that wait for one reader; who is further behind is cut off rather than kept in memory. */
const WAITING_MAX = 1_000;
const BUFFER_BYTES_MAX = 256 * 1024;
/** How long a reader that was cut off may take to read why. */
const LAST_WORDS_MS = 10_000;
/** What a client waits before it connects again, where it is one that does. */
const RETRY_MS = 2_000;

export type EndReason = 'asked' | 'stopping' | 'auth' | 'unavailable';

/** What a stream is made with. */
export interface StreamOptions {
  /** whether the event is for this reader's eyes */
  readonly isFor: (event: OperationEvent) => boolean;
  /** Resolves while the reader's key is valid. Throws its fault when it isn't. */
  readonly verifyKey: () => Promise<unknown>;
  /** the reader names an event that it has seen, and may think that the rest follows */
  readonly isResuming: boolean;
  /** milliseconds after which it ends; null for no end */
  readonly forMs: number | null;
}

/**
 * Server-Sent Events (WHATWG HTML §9.2) of one reader. INVARIANT (nothing to a lost key): an event leaves after the key
 * was found valid, a second before at most.
 */
export class EventStream implements Listener {
  readonly readable = new Readable({ read: () => undefined });
  readonly #options: StreamOptions;
  readonly #waiting: OperationEvent[] = [];
  readonly #timers: NodeJS.Timeout[] = [];
  #isSending = false;
  #isEnded = false;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.readable.once('close', () => this.#stop());
    this.readable.push(
      `retry: ${RETRY_MS}\n${block('ready', { v: 1, live_only: true, resumed: false, missed: options.isResuming ? 'unknown' : 'nothing' })}`,
    );
    this.#timers.push(setInterval(() => void this.#beat(), HEARTBEAT_MS).unref());
    if (options.forMs !== null) this.#timers.push(setTimeout(() => this.end('asked'), options.forMs).unref());
  }

  heard(event: OperationEvent): void {
    if (this.#isEnded || !this.#options.isFor(event)) return;
    if (this.#waiting.length >= WAITING_MAX) return this.#cut();
    this.#waiting.push(event);
    if (!this.#isSending) void this.#send();
  }

  stopping(): void {
    this.end('stopping');
  }

  /** Says why, and ends once that was read. */
  end(reason: EndReason): void {
    this.#close(block('end', { reason }));
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.length > 0 && (await this.#isLetIn()))
      for (const event of this.#waiting.splice(0)) this.#push(block('operation', viewOf(event)));
    this.#isSending = false;
  }

  async #beat(): Promise<void> {
    if (await this.#isLetIn()) this.#push(': still here\n\n');
  }

  async #isLetIn(): Promise<boolean> {
    try {
      await this.#options.verifyKey();
    } catch (error) {
      this.end(error instanceof Fault && error.status === 401 ? 'auth' : 'unavailable');
    }
    return !this.#isEnded;
  }

  #push(text: string): void {
    if (this.#isEnded) return;
    if (this.readable.readableLength + text.length > BUFFER_BYTES_MAX) return this.#cut();
    this.readable.push(text);
  }

  #cut(): void {
    this.#close(block('cut', { reason: 'the reader is too slow: events were lost' }));
  }

  #close(lastWords: string): void {
    if (this.#isEnded) return;
    this.#stop();
    this.readable.push(lastWords);
    this.readable.push(null);
    const timer = setTimeout(() => this.readable.destroy(), LAST_WORDS_MS).unref();
    this.readable.once('close', () => clearTimeout(timer));
  }

  #stop(): void {
    this.#isEnded = true;
    this.#waiting.length = 0;
    for (const timer of this.#timers) clearTimeout(timer);
  }
}

const block = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** The same members whatever the kernel's version: what it doesn't say is null. */
function viewOf({
  operation_id,
  state,
  agent_id = '',
  tool_id = '',
  approval_id = null,
  fault_code = null,
  resolution = null,
  at = 0,
}: OperationEvent): object {
  return {
    operation_id,
    state,
    agent_id: agent_id || null,
    tool_id: tool_id || null,
    approval_id,
    fault_code,
    resolution,
    at: at || null,
  };
}
