// SPDX-License-Identifier: Apache-2.0
//
// Requests of a session that runs in a thread, as the event loop sends them. INVARIANT (bytes only): what the server
// sends is passed on and never read here. INVARIANT (called once): a session sends one request that calls a tool at
// most, and says of it that it does. INVARIANT (given address): the thread names no address and no credential; whoever
// makes the relay has them.
import type { Readable } from 'node:stream';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { parseJson } from '@writ/digest';
import type { FromThread, ToThread } from './relay-messages.ts';

/** Bytes that the thread has not read yet, of one answer. More wait in the connection, and then at the server. */
const WINDOW_BYTES = 262_144;
/** Of all answers of a session: several images, or thousands of pages of text. */
const RECEIVED_BYTES_MAX = 16 * 1_048_576;
/** The longest arguments of a call at six bytes a character, and what is around them. */
const CALL_BYTES_MAX = 8 * 1_048_576;
/** Every other request is a few hundred bytes long, and a cursor may be some thousand. */
const BODY_BYTES_MAX = 65_536;
/** A call, a stream that is resumed, and answers to what the server asks. */
const EXCHANGES_MAX = 8;
const PING_MS = 1_000;
/** A thread that answers no ping for so long works on one answer of the server, and may do so for hours. */
const PINGS_MAX = 5;
/** Several times what the largest session takes on a busy machine. */
const BUSY_MS_MAX = 20_000;

/** Of the thread's headers only these are sent. */
const HEADER = /^(?:accept|content-type|last-event-id|mcp-[a-z0-9._-]{1,128})$/;
const HEADER_CHARS_MAX = 8_192;
/** What a header's value may hold (RFC 9110 §5.5), in ASCII. */
const FIELD_VALUE = /^[\t\x20-\x7e]*$/;
/** Of the server's headers only these are passed on. */
const PASSED_ON: readonly string[] = ['content-type', 'content-encoding', 'mcp-session-id', 'www-authenticate'];

type Method = 'POST' | 'GET' | 'DELETE';
type Header = readonly [name: string, value: string];

export interface RelayedRequest {
  readonly method: Method;
  /** by lower-case names */
  readonly headers: readonly Header[];
  readonly body: Uint8Array | null;
  /** whether it calls the tool: every other request only reads, or belongs to the session */
  readonly isCall: boolean;
}

export interface RelayedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** destroyed when the session ends, with its connection */
  readonly body: Readable;
}

export interface RelayOptions {
  /** Sends a request and resolves with the head of its answer. MUST end, and close its connection, when aborted. */
  readonly send: (request: RelayedRequest, signal: AbortSignal) => Promise<RelayedAnswer>;
  /** whether the session may call a tool */
  readonly mayCall: boolean;
  /** The thread computes longer than a session may. Its caller ends it. */
  readonly onOverrun: () => void;
}

/** One request on its way. */
interface Exchange {
  readonly abort: AbortController;
  body: Readable | null;
  unread: number;
}

/** The end of a session that stays with its event loop. */
export class RequestRelay {
  /** The end for the thread. */
  readonly port: MessagePort;
  readonly #own: MessagePort;
  readonly #options: RelayOptions;
  readonly #exchanges = new Map<number, Exchange>();
  readonly #timer: NodeJS.Timeout;
  #received = 0;
  #hasCalled = false;
  #failure: { readonly error: unknown } | null = null;
  /** pings without an answer; null until the thread has opened its end */
  #unanswered: number | null = null;

  constructor(options: RelayOptions) {
    const { port1, port2 } = new MessageChannel();
    this.port = port2;
    this.#own = port1;
    this.#options = options;
    port1.on('message', (message: FromThread) => this.#receive(message));
    // The thread closes its end with the session, and loses it when it is ended.
    port1.on('close', () => this.close());
    this.#timer = setInterval(() => this.#ping(), PING_MS);
  }

  /** Why the first request failed that was not sent or not answered; null where none did. */
  get failure(): { readonly error: unknown } | null {
    return this.#failure;
  }

  /** Whether the call of the tool was handed to `send`. */
  get hasCalled(): boolean {
    return this.#hasCalled;
  }

  /** Ends it, with all connections. */
  close(): void {
    clearInterval(this.#timer);
    for (const id of [...this.#exchanges.keys()]) this.#end(id);
    this.#own.close();
  }

  #receive(message: FromThread): void {
    if (message.kind === 'open') this.#unanswered = 0;
    else if (message.kind === 'request') void this.#exchange(message);
    else if (message.kind === 'cancel') this.#end(message.id);
    else if (message.kind === 'consumed') this.#consumed(message.id, message.bytes);
    else {
      this.#unanswered = 0;
      if (message.busyMs > BUSY_MS_MAX) this.#options.onOverrun();
    }
  }

  async #exchange(message: FromThread & { readonly kind: 'request' }): Promise<void> {
    const { id } = message;
    const exchange: Exchange = { abort: new AbortController(), body: null, unread: 0 };
    try {
      if (this.#exchanges.size >= EXCHANGES_MAX) throw new Error('a session has too many requests at once');
      const request = this.#verified(message);
      this.#exchanges.set(id, exchange);
      const { status, headers, body } = await this.#options.send(request, exchange.abort.signal);
      exchange.body = body;
      body.on('error', () => undefined);
      if (exchange.abort.signal.aborted) return void body.destroy();
      this.#post({ kind: 'head', id, status, headers: passedOn(headers) });
      body.on('data', (bytes: Buffer) => this.#forward(id, exchange, bytes));
      body.on('end', () => this.#finish(id, { kind: 'end', id }));
      body.on('close', () => this.#finish(id, { kind: 'broken', id, why: 'unreachable' }));
    } catch (error) {
      // Of a request that nobody waits for, nobody wants to know why it failed.
      if (!exchange.abort.signal.aborted) this.#failure ??= { error };
      this.#exchanges.delete(id);
      this.#post({ kind: 'broken', id, why: 'unreachable' });
    }
  }

  /** @throws Error for what the thread never asks for */
  #verified({ method, headers, body, isCall }: FromThread & { readonly kind: 'request' }): RelayedRequest {
    if (method !== 'POST' && method !== 'GET' && method !== 'DELETE') throw new Error('the method is none of MCP');
    if ((method === 'POST') !== (body !== null)) throw new Error('a request lacks its body, or has none to have');
    if ((body?.length ?? 0) > (isCall ? CALL_BYTES_MAX : BODY_BYTES_MAX)) throw new Error('a request is too long');
    const isOther = isCall ? method !== 'POST' : body !== null && methodOf(body) === 'tools/call';
    if (isOther) throw new Error('a request does not say what it is');
    if (isCall && (!this.#options.mayCall || this.#hasCalled)) throw new Error('the session may not call the tool');
    const sent = headers.filter(
      ([name, value]) => HEADER.test(name) && value.length <= HEADER_CHARS_MAX && FIELD_VALUE.test(value),
    );
    this.#hasCalled ||= isCall;
    return { method, headers: sent, body, isCall };
  }

  #forward(id: number, exchange: Exchange, bytes: Buffer): void {
    this.#received += bytes.length;
    if (this.#received > RECEIVED_BYTES_MAX) return this.#finish(id, { kind: 'broken', id, why: 'too_large' });
    exchange.unread += bytes.length;
    if (exchange.unread >= WINDOW_BYTES) exchange.body?.pause();
    this.#post({ kind: 'bytes', id, bytes: Uint8Array.from(bytes) });
  }

  #consumed(id: number, bytes: number): void {
    const exchange = this.#exchanges.get(id);
    if (exchange === undefined) return;
    exchange.unread -= bytes;
    if (exchange.unread < WINDOW_BYTES) exchange.body?.resume();
  }

  #finish(id: number, message: ToThread): void {
    if (!this.#exchanges.has(id)) return;
    this.#post(message);
    this.#end(id);
  }

  #end(id: number): void {
    const exchange = this.#exchanges.get(id);
    this.#exchanges.delete(id);
    exchange?.abort.abort();
    exchange?.body?.destroy();
  }

  /** Counted by turns of this event loop: one that was late itself has not waited for the thread. */
  #ping(): void {
    if (this.#unanswered === null) return;
    this.#unanswered += 1;
    if (this.#unanswered > PINGS_MAX) this.#options.onOverrun();
    else this.#post({ kind: 'ping' });
  }

  #post(message: ToThread): void {
    this.#own.postMessage(message);
  }
}

const passedOn = (headers: RelayedAnswer['headers']): readonly Header[] =>
  PASSED_ON.flatMap((name) => {
    const value = [headers[name] ?? []].flat().join(', ');
    return value !== '' && value.length <= HEADER_CHARS_MAX && FIELD_VALUE.test(value) ? [[name, value] as const] : [];
  });

/** The method of a message of JSON-RPC; null for an answer, which has none. @throws Error for what is no single one */
function methodOf(body: Uint8Array): unknown {
  const message = parseJson(Buffer.from(body).toString('utf8'));
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    throw new Error('a request is no single message');
  return (message as { readonly method?: unknown }).method ?? null;
}
