// SPDX-License-Identifier: Apache-2.0
//
// Requests of a session that runs in a thread, as the event loop sends them. INVARIANT (bytes only): what the server
// sends is passed on and never read here. INVARIANT (called once): a session sends one request that calls a tool at
// most, and says of it that it does. INVARIANT (given address): the thread names no address and no credential; whoever
// makes the relay has them.
import type { Readable } from 'node:stream';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { BodyReader } from './body-reader.ts';
import { isCallMethod } from './call-methods.ts';
import { McpError } from './mcp-error.ts';
import type { FromThread, ToThread } from './relay-messages.ts';
import { CALL_BYTES_MAX, MESSAGE_BYTES_MAX, methodOf, ReceivedBound, strange, ThreadWatch } from './session-bounds.ts';

/** A call, a stream that is resumed, and answers to what the server asks. */
const EXCHANGES_MAX = 8;
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
  body: BodyReader | null;
}

/** The end of a session that stays with its event loop. */
export class RequestRelay {
  /** The end for the thread. */
  readonly port: MessagePort;
  readonly #own: MessagePort;
  readonly #options: RelayOptions;
  readonly #exchanges = new Map<number, Exchange>();
  readonly #watch: ThreadWatch;
  readonly #received = new ReceivedBound();
  #hasCalled = false;
  #failure: { readonly error: unknown } | null = null;

  constructor(options: RelayOptions) {
    const { port1, port2 } = new MessageChannel();
    this.port = port2;
    this.#own = port1;
    this.#options = options;
    port1.on('message', (message: FromThread) => this.#receive(message));
    // The thread closes its end with the session, and loses it when it is ended.
    port1.on('close', () => this.close());
    this.#watch = new ThreadWatch(() => this.#post({ kind: 'ping' }), options.onOverrun);
  }

  /**
   * Why the first request failed that was not sent or not answered; null where none did. What nobody waits for fails in
   * silence: answers to the server, and goodbyes.
   */
  get failure(): { readonly error: unknown } | null {
    return this.#failure;
  }

  /** Whether the call was handed to `send`. */
  get hasCalled(): boolean {
    return this.#hasCalled;
  }

  /** Ends it, with all connections. */
  close(): void {
    this.#watch.close();
    for (const id of [...this.#exchanges.keys()]) this.#end(id);
    this.#own.close();
  }

  #receive(message: FromThread): void {
    if (message.kind === 'open') this.#watch.opened();
    else if (message.kind === 'request') void this.#exchange(message);
    else if (message.kind === 'cancel') this.#end(message.id);
    else if (message.kind === 'consumed') this.#consumed(message.id, message.bytes);
    else this.#watch.answered(message.busyMs);
  }

  async #exchange(message: FromThread & { readonly kind: 'request' }): Promise<void> {
    const { id } = message;
    const exchange: Exchange = { abort: new AbortController(), body: null };
    let isAwaited = true;
    try {
      isAwaited = isAwaitedFor(message);
      if (this.#exchanges.size >= EXCHANGES_MAX)
        throw new McpError('too_large', 'the session has more requests at once than it may have');
      const request = this.#verified(message);
      this.#exchanges.set(id, exchange);
      const { status, headers, body } = await this.#options.send(request, exchange.abort.signal);
      body.on('error', () => undefined);
      if (exchange.abort.signal.aborted) return void body.destroy();
      this.#post({ kind: 'head', id, status, headers: passedOn(headers) });
      exchange.body = new BodyReader(body, {
        onPiece: (bytes) => this.#count(id, bytes),
        onBytes: (bytes) => this.#post({ kind: 'bytes', id, bytes }),
        onEnd: (isComplete) =>
          this.#finish(id, isComplete ? { kind: 'end', id } : { kind: 'broken', id, why: 'unreachable' }),
      });
    } catch (error) {
      // Of a request that nobody waits for, nobody wants to know why it failed.
      if (isAwaited && !exchange.abort.signal.aborted) this.#failure ??= { error };
      this.#exchanges.delete(id);
      this.#post({ kind: 'broken', id, why: 'unreachable' });
    }
  }

  /** @throws McpError for what the thread never asks for, unless a server brings it to that */
  #verified({ method, headers, body, isCall }: FromThread & { readonly kind: 'request' }): RelayedRequest {
    if (method !== 'POST' && method !== 'GET' && method !== 'DELETE') throw strange('a method that is none of MCP');
    if ((method === 'POST') !== (body !== null)) throw strange('a request that lacks its body, or has none to have');
    if ((body?.length ?? 0) > (isCall ? CALL_BYTES_MAX : MESSAGE_BYTES_MAX))
      throw new McpError('too_large', 'a request of the session is longer than it may be');
    const isOther = isCall ? method !== 'POST' : body !== null && isCallMethod(methodOf(body));
    if (isOther) throw strange('a request that does not say what it is');
    if (isCall && (!this.#options.mayCall || this.#hasCalled)) throw strange('another call than it may send');
    const sent = headers.filter(([name]) => HEADER.test(name));
    // INVARIANT (all or none): a server may rely on headers of MCP to say what the body says.
    for (const header of sent) requireSendable(header, isCall);
    this.#hasCalled ||= isCall;
    return { method, headers: sent, body, isCall };
  }

  #count(id: number, bytes: number): void {
    const why = this.#received.count(bytes);
    if (why !== null) this.#finish(id, { kind: 'broken', id, why });
  }

  #consumed(id: number, bytes: number): void {
    this.#exchanges.get(id)?.body?.consumed(bytes);
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

  #post(message: ToThread): void {
    this.#own.postMessage(message);
  }
}

/** @throws McpError that names the header. Its value may hold arguments, and is not repeated. */
function requireSendable([name, value]: Header, isCall: boolean): void {
  if (value.length > HEADER_CHARS_MAX) {
    const problem = `the header \`${name}\` would have more than ${HEADER_CHARS_MAX} characters`;
    throw isCall
      ? new McpError('unsendable', `${problem}: shorten the argument that it repeats`)
      : new McpError('too_large', problem);
  }
  if (!FIELD_VALUE.test(value)) throw strange(`the header \`${name}\` with characters that no header has`);
}

const passedOn = (headers: RelayedAnswer['headers']): readonly Header[] =>
  PASSED_ON.flatMap((name) => {
    const value = [headers[name] ?? []].flat().join(', ');
    return value !== '' && value.length <= HEADER_CHARS_MAX && FIELD_VALUE.test(value) ? [[name, value] as const] : [];
  });

/** Whether the session waits for the answer: not where it answers the server itself, gives up, or says goodbye. */
function isAwaitedFor({ method, body, isCall }: FromThread & { readonly kind: 'request' }): boolean {
  if (method === 'DELETE') return false;
  // What is longer is refused by its length.
  if (isCall || body === null || body.length > MESSAGE_BYTES_MAX) return true;
  const name = methodOf(body);
  return name !== null && name !== 'notifications/cancelled';
}
