// SPDX-License-Identifier: Apache-2.0
//
// A connection for a session that runs in a thread. INVARIANT (bytes only): what the server sends is passed on and
// never read here, so that no server costs the event loop more than the copying of its bytes.
import type { Duplex } from 'node:stream';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { FromThread, ToThread } from './session-messages.ts';

/** Bytes that the thread has not read yet. More wait in the connection, and then at the server. */
const WINDOW_BYTES = 262_144;
const PING_MS = 1_000;
/** A thread that answers no ping for so long works on one answer of the server, and may do so for hours. */
const PINGS_MAX = 5;
/** Several times what the largest session takes on a busy machine. */
const BUSY_MS_MAX = 20_000;

export interface RelayEvents {
  /** Whether a message may be stored, which is about to be sent. It never rejects. */
  readonly onAnnounce: () => Promise<boolean>;
  /** The thread computes longer than a session may. Its caller ends it. */
  readonly onOverrun: () => void;
}

/** The end of a connection that stays with its event loop. */
export class ConnectionRelay {
  /** The end for the thread. */
  readonly port: MessagePort;
  readonly #own: MessagePort;
  readonly #connection: Duplex;
  readonly #events: RelayEvents;
  readonly #timer: NodeJS.Timeout;
  #unread = 0;
  /** pings without an answer; null until the thread has opened its end */
  #unanswered: number | null = null;

  constructor(connection: Duplex, events: RelayEvents) {
    const { port1, port2 } = new MessageChannel();
    this.port = port2;
    this.#own = port1;
    this.#connection = connection;
    this.#events = events;
    connection.on('data', this.#forward);
    connection.on('end', () => this.#post({ kind: 'end' }));
    connection.on('error', () => undefined);
    connection.on('close', () => this.#post({ kind: 'broken' }));
    connection.pause();
    port1.on('message', (message: FromThread) => this.#receive(message));
    // The thread closes its end with the session, and loses it when it is ended.
    port1.on('close', () => this.close());
    this.#timer = setInterval(() => this.#ping(), PING_MS);
  }

  /** Ends it, with the connection. */
  close(): void {
    clearInterval(this.#timer);
    this.#connection.destroy();
    this.#own.close();
  }

  readonly #forward = (bytes: Buffer): void => {
    this.#unread += bytes.length;
    if (this.#unread >= WINDOW_BYTES) this.#connection.pause();
    this.#post({ kind: 'bytes', bytes: Uint8Array.from(bytes) });
  };

  #receive(message: FromThread): void {
    if (message.kind === 'open') {
      this.#unanswered = 0;
      this.#connection.resume();
    } else if (message.kind === 'bytes') this.#connection.write(message.bytes);
    else if (message.kind === 'end') this.#connection.end();
    else if (message.kind === 'announce')
      void this.#events.onAnnounce().then((may) => this.#post({ kind: 'announced', may }));
    else if (message.kind === 'pong') {
      this.#unanswered = 0;
      if (message.busyMs > BUSY_MS_MAX) this.#events.onOverrun();
    } else {
      this.#unread -= message.bytes;
      if (this.#unread < WINDOW_BYTES) this.#connection.resume();
    }
  }

  /** Counted by turns of this event loop: one that was late itself has not waited for the thread. */
  #ping(): void {
    if (this.#unanswered === null) return;
    this.#unanswered += 1;
    if (this.#unanswered > PINGS_MAX) this.#events.onOverrun();
    else this.#post({ kind: 'ping' });
  }

  #post(message: ToThread): void {
    this.#own.postMessage(message);
  }
}
