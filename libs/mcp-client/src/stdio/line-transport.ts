// SPDX-License-Identifier: Apache-2.0
//
// The SDK's side of a session with a program: one JSON-RPC message a line. INVARIANT (own answers): an id on the wire
// is of one session of one process, so a late answer to an earlier session, a second one, or one to nobody is none.
// INVARIANT (one handshake): a process sees one beginning. Later sessions begin with what it answered then.
import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { MessagePort } from 'node:worker_threads';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { isCallMethod } from '../call-methods.ts';
import { McpError } from '../mcp-error.ts';
import type { FromLineThread, Handshake, LineWork, ToLineThread } from './line-messages.ts';
import { LineSplitter } from './line-splitter.ts';

/** Lines of a session that are no messages: a greeting, or a log that went to the wrong stream. */
const STRANGE_LINES_MAX = 64;
/** A server that asks for more gets no answer any more. */
const ANSWERS_MAX = 8;
/** Messages of a session: progress and logs, which nobody asked for, are passed over. */
const MESSAGES_MAX = 10_000;
/** Brackets, braces and commas of a session, each of which may become a value of JSON of some hundred bytes. */
const JSON_PARTS_MAX = 400_000;
/** It tells the relay of read bytes in steps, several of which fit in what the relay lets wait. */
const CONSUMED_BYTES = 65_536;
const PARTS: ReadonlySet<number> = new Set([...',[{'].map((each) => each.charCodeAt(0)));
/** INVARIANT (read before answered): nobody guesses the id of a message that it has not read. */
const ID_BYTES = 12;
const HANDSHAKES: ReadonlySet<unknown> = new Set<Handshake['method']>(['initialize', 'server/discover']);

type Id = string | number;
interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: unknown;
}

const ENDS = {
  unreachable: 'the server ended, or its output did',
  too_large: 'the server sent more than a session may receive',
  too_many_pieces: 'the server divides its output into more pieces than are read',
} as const;

/** A transport of the SDK over the port, whose other end is a `LineRelay`. */
export class LineTransport implements Transport {
  // By these two the SDK knows a program: one of the older revision may leave a first question unanswered.
  readonly stderr = null;
  readonly pid = null;
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: Transport['onmessage'];
  readonly #port: MessagePort;
  readonly #work: LineWork;
  readonly #opened = performance.eventLoopUtilization();
  readonly #lines = new LineSplitter();
  /** the requests under way: the SDK's id and the method, by the id on the wire */
  readonly #pending = new Map<string, { readonly id: Id; readonly method: string }>();
  #ids = 0;
  #consumed = 0;
  #strange = 0;
  #answers = 0;
  #messages = 0;
  #parts = 0;
  #isOpen = false;
  #isClosed = false;
  #failure: McpError | null = null;

  constructor(port: MessagePort, work: LineWork) {
    this.#port = port;
    this.#work = work;
    port.on('message', (message: ToLineThread) => this.#receive(message));
    port.on('close', () => void this.close());
  }

  /** Why the session broke off; null where it didn't. */
  get failure(): McpError | null {
    return this.#failure;
  }

  start(): Promise<void> {
    if (!this.#isOpen) this.#post({ kind: 'open' });
    this.#isOpen = true;
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return Promise.reject(this.#failure ?? new McpError('unreachable', 'the session has ended'));
    const { id, method, params } = message as Message;
    if (method === undefined) this.#answer(message);
    else if (id === undefined) this.#notify(message, method, params);
    else this.#ask(message as Message & { id: Id; method: string });
    return Promise.resolve();
  }

  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#isClosed = true;
    this.#pending.clear();
    this.#port.close();
    this.onclose?.();
    return Promise.resolve();
  }

  #answer(message: JSONRPCMessage): void {
    if ((this.#answers += 1) <= ANSWERS_MAX) this.#write(message, false);
  }

  #notify(message: JSONRPCMessage, method: unknown, params: Message['params']): void {
    const { handshake } = this.#work;
    if (method === 'notifications/initialized' && handshake !== null) return;
    if (method !== 'notifications/cancelled') return this.#write(message, false);
    const wire = [...this.#pending].find(([, asked]) => asked.id === params?.['requestId'])?.[0];
    if (wire !== undefined)
      this.#write({ ...message, params: { ...params, requestId: wire } } as JSONRPCMessage, false);
  }

  #ask({ id, method, ...rest }: Message & { readonly id: Id; readonly method: string }): void {
    const { handshake, session } = this.#work;
    if (handshake !== null && HANDSHAKES.has(method)) {
      const isSame = handshake.method === method;
      const answer = isSame
        ? { result: JSON.parse(Buffer.from(handshake.result).toString('utf8')) as unknown }
        : { error: { code: -32_601, message: 'Method not found' } };
      queueMicrotask(() => this.#deliver({ jsonrpc: '2.0', id, ...answer }));
      return;
    }
    const wire = `${String(session)}.${String((this.#ids += 1))}.${randomBytes(ID_BYTES).toString('base64url')}`;
    this.#pending.set(wire, { id, method });
    this.#write({ ...rest, method, id: wire } as JSONRPCMessage, isCallMethod(method));
  }

  #write(message: JSONRPCMessage, isCall: boolean): void {
    this.#post({ kind: 'write', bytes: new TextEncoder().encode(`${JSON.stringify(message)}\n`), isCall });
  }

  #receive(message: ToLineThread): void {
    if (message.kind === 'ping')
      return this.#post({ kind: 'pong', busyMs: performance.eventLoopUtilization(this.#opened).active });
    if (message.kind === 'end')
      return this.#fail(new McpError(message.why === 'unreachable' ? 'unreachable' : 'too_large', ENDS[message.why]));
    this.#bytes(message.bytes);
  }

  #bytes(bytes: Uint8Array): void {
    for (const byte of bytes) if (PARTS.has(byte)) this.#parts += 1;
    if (this.#parts > JSON_PARTS_MAX)
      return this.#fail(new McpError('too_large', 'the answer has more parts than are read'));
    const lines = this.#lines.push(bytes);
    if (lines === null) return this.#fail(new McpError('too_large', 'the server wrote a line without end'));
    for (const line of lines) this.#line(line);
    this.#consumed += bytes.length;
    if (this.#consumed < CONSUMED_BYTES || this.#isClosed) return;
    this.#post({ kind: 'consumed', bytes: this.#consumed });
    this.#consumed = 0;
  }

  #line(line: string): void {
    if (this.#isClosed || line.trim() === '') return;
    const message = messageOf(line);
    if (message === null) {
      // The rest of what an earlier session didn't read is such a line, too.
      if ((this.#strange += 1) > STRANGE_LINES_MAX)
        this.#fail(new McpError('malformed', 'the server writes to its output what is none of MCP'));
      return;
    }
    if ((this.#messages += 1) > MESSAGES_MAX)
      return this.#fail(new McpError('too_large', 'the server sends more messages than a session may receive'));
    if (message.method !== undefined) return this.#deliver(message);
    const asked = typeof message.id === 'string' ? this.#pending.get(message.id) : undefined;
    if (asked === undefined) return;
    this.#pending.delete(message.id as string);
    if (HANDSHAKES.has(asked.method) && message.result !== undefined)
      this.#post({
        kind: 'handshake',
        handshake: {
          method: asked.method as Handshake['method'],
          result: new TextEncoder().encode(JSON.stringify(message.result)),
        },
      });
    this.#deliver({ ...message, id: asked.id });
  }

  #deliver(message: Message): void {
    if (!this.#isClosed) this.onmessage?.(message as JSONRPCMessage);
  }

  #fail(failure: McpError): void {
    this.#failure ??= failure;
    void this.close();
  }

  #post(message: FromLineThread): void {
    this.#port.postMessage(message);
  }
}

/** Null for what is no single message of JSON-RPC. */
function messageOf(line: string): Message | null {
  try {
    const message = JSON.parse(line) as Message | null;
    return typeof message === 'object' && message !== null && message.jsonrpc === '2.0' ? message : null;
  } catch {
    return null;
  }
}
