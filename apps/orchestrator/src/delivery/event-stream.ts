// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import { Fault, type OperationEvent } from '@writ/contract';
import type { EventSubscriber } from '../calls/event-hub.ts';

/** Proxies close connections that are idle for half a minute or a minute. */
const HEARTBEAT_MS = 15_000;
/** Events and bytes that wait for one reader; a slower reader is disconnected rather than buffered in memory. */
const WAITING_MAX = 1_000;
const BUFFER_BYTES_MAX = 256 * 1024;
/** How long a disconnected reader may take to read the reason. */
const FINAL_READ_MS = 10_000;
/** How long a client waits before it reconnects, if it does. */
const RETRY_MS = 2_000;

export type EndReason = 'asked' | 'stopping' | 'auth' | 'unavailable';

/** The options of a stream. */
export interface StreamOptions {
  /** whether the reader may see the event */
  readonly isFor: (event: OperationEvent) => boolean;
  /** Resolves while the reader's key is valid. Throws its fault when it isn't. */
  readonly verifyKey: () => Promise<unknown>;
  /** whether the reader names the last event that it has seen, and may expect the following ones */
  readonly isResuming: boolean;
  /** milliseconds after which it ends; null for no end */
  readonly forMs: number | null;
}

/**
 * Server-Sent Events (WHATWG HTML §9.2) for one reader. INVARIANT (nothing to a lost key): an event is sent only if the
 * reader's key was verified within the last second.
 */
export class EventStream implements EventSubscriber {
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
      `retry: ${RETRY_MS}\n${formatEvent('ready', { v: 1, live_only: true, resumed: false, missed: options.isResuming ? 'unknown' : 'nothing' })}`,
    );
    this.#timers.push(setInterval(() => void this.#sendHeartbeat(), HEARTBEAT_MS).unref());
    if (options.forMs !== null) this.#timers.push(setTimeout(() => this.end('asked'), options.forMs).unref());
  }

  receive(event: OperationEvent): void {
    if (this.#isEnded || !this.#options.isFor(event)) return;
    if (this.#waiting.length >= WAITING_MAX) return this.#disconnect();
    this.#waiting.push(event);
    if (!this.#isSending) void this.#send();
  }

  stopping(): void {
    this.end('stopping');
  }

  /** Sends the reason, and ends when the reader has received it. */
  end(reason: EndReason): void {
    this.#close(formatEvent('end', { reason }));
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.length > 0 && (await this.#isKeyValid()))
      for (const event of this.#waiting.splice(0)) this.#push(formatEvent('operation', viewOf(event)));
    this.#isSending = false;
  }

  async #sendHeartbeat(): Promise<void> {
    if (await this.#isKeyValid()) this.#push(': still here\n\n');
  }

  async #isKeyValid(): Promise<boolean> {
    try {
      await this.#options.verifyKey();
    } catch (error) {
      this.end(error instanceof Fault && error.status === 401 ? 'auth' : 'unavailable');
    }
    return !this.#isEnded;
  }

  #push(text: string): void {
    if (this.#isEnded) return;
    if (this.readable.readableLength + text.length > BUFFER_BYTES_MAX) return this.#disconnect();
    this.readable.push(text);
  }

  #disconnect(): void {
    this.#close(formatEvent('cut', { reason: 'the reader is too slow: events were lost' }));
  }

  #close(finalEvent: string): void {
    if (this.#isEnded) return;
    this.#stop();
    this.readable.push(finalEvent);
    this.readable.push(null);
    const timer = setTimeout(() => this.readable.destroy(), FINAL_READ_MS).unref();
    this.readable.once('close', () => clearTimeout(timer));
  }

  #stop(): void {
    this.#isEnded = true;
    this.#waiting.length = 0;
    for (const timer of this.#timers) clearTimeout(timer);
  }
}

const formatEvent = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** The view of an event, with the same members for every version of the kernel; missing ones are null. */
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
