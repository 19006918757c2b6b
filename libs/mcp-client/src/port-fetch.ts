// SPDX-License-Identifier: Apache-2.0
import { performance } from 'node:perf_hooks';
import type { MessagePort } from 'node:worker_threads';
import { isCallMethod } from './call-methods.ts';
import { McpError } from './mcp-error.ts';
import type { FromThread, ToThread } from './relay-messages.ts';

/**
 * Brackets, braces and commas in all answers of a session. Each may become a value of JSON of some hundred bytes: more
 * could use up the memory of the thread.
 */
const JSON_PARTS_MAX = 400_000;
/** It tells the relay of read bytes in steps, several of which fit in what the relay lets wait. */
const CONSUMED_BYTES = 65_536;
const PARTS: ReadonlySet<number> = new Set([...',[{'].map((each) => each.charCodeAt(0)));

interface Pending {
  readonly resolve: (response: Response) => void;
  readonly reject: (error: Error) => void;
  /** whether the session waits for the answer: it waits for none to what it answers itself */
  readonly isAwaited: boolean;
  body: ReadableStreamDefaultController<Uint8Array> | null;
  /** whether the answer is a stream of events */
  isStream: boolean;
  /** bytes that the relay doesn't know to be read */
  consumed: number;
  stop: () => void;
}

/** `fetch` as a session in a thread has it. At the other end of the port is a `RequestRelay`. */
export class PortFetch {
  readonly #port: MessagePort;
  readonly #mayResume: boolean;
  readonly #opened = performance.eventLoopUtilization();
  readonly #pending = new Map<number, Pending>();
  #ids = 0;
  #parts = 0;
  #failure: McpError | null = null;
  /** called after the whole answer to a request came, or broke off, if the session waits for one */
  onEnd: (isStream: boolean) => void = () => undefined;

  constructor(port: MessagePort, { mayResume }: { readonly mayResume: boolean }) {
    this.#port = port;
    this.#mayResume = mayResume;
    port.on('message', (message: ToThread) => this.#receive(message));
    port.on('close', () => this.close());
    this.#post({ kind: 'open' });
  }

  /** Why the first answer broke off; null where none did. */
  get failure(): McpError | null {
    return this.#failure;
  }

  /** Ends it. Whoever waits for an answer gets none. */
  close(): void {
    for (const id of [...this.#pending.keys()]) this.#break(id, new McpError('unreachable', 'the session ended'));
    this.#port.close();
  }

  /** The address is the relay's affair, and the one given here is none. */
  readonly fetch = async (_url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { method = 'GET', body = null, signal } = init;
    const headers = [...new Headers(init.headers)];
    // Whatever a server has to say to nobody in particular isn't heard, and a stream for it would stay open.
    const isResumed = headers.some(([name]) => name === 'last-event-id');
    if (method === 'GET' && !(isResumed && this.#mayResume)) return new Response(null, { status: 405 });
    signal?.throwIfAborted();
    const text = typeof body === 'string' ? body : null;
    const called = text === null ? null : ((JSON.parse(text) as { readonly method?: unknown }).method ?? null);
    const isCall = isCallMethod(called);
    const isAwaited = method === 'GET' || (called !== null && called !== 'notifications/cancelled');
    return await new Promise((resolve, reject) => {
      const id = (this.#ids += 1);
      const onAbort = (): void => this.#cancel(id, signal?.reason as Error);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#pending.set(id, {
        resolve,
        reject,
        isAwaited,
        body: null,
        isStream: false,
        consumed: 0,
        stop: () => signal?.removeEventListener('abort', onAbort),
      });
      const bytes = text === null ? null : new TextEncoder().encode(text);
      this.#post({ kind: 'request', id, method, headers, body: bytes, isCall });
    });
  };

  #receive(message: ToThread): void {
    if (message.kind === 'ping') {
      this.#post({ kind: 'pong', busyMs: performance.eventLoopUtilization(this.#opened).active });
      return;
    }
    const pending = this.#pending.get(message.id);
    if (pending === undefined) return;
    if (message.kind === 'head') this.#head(pending, message);
    else if (message.kind === 'bytes') this.#bytes(pending, message);
    else if (message.kind === 'end') this.#end(message.id, pending);
    else this.#break(message.id, brokenOff(message.why));
  }

  #head(pending: Pending, { id, status, headers }: ToThread & { readonly kind: 'head' }): void {
    if (!pending.isAwaited) {
      this.#post({ kind: 'cancel', id });
      return this.#leave(id, pending);
    }
    try {
      const answer = new Headers(headers.map(([name, value]): [string, string] => [name, value]));
      verifyReadable(status, answer);
      pending.isStream = /^text\/event-stream\s*(?:;|$)/i.test(answer.get('content-type') ?? '');
      const stream = new ReadableStream<Uint8Array>(
        {
          start: (controller) => void (pending.body = controller),
          cancel: () => this.#cancel(id, new McpError('unreachable', 'nobody reads the answer')),
        },
        { highWaterMark: 0 },
      );
      const isEmpty = status === 204 || status === 205;
      pending.resolve(new Response(isEmpty ? null : stream, { status, headers: answer }));
    } catch (cause) {
      const error =
        cause instanceof McpError ? cause : new McpError('malformed', 'the answer has no valid head', { cause });
      this.#post({ kind: 'cancel', id });
      this.#break(id, error);
    }
  }

  #bytes(pending: Pending, { id, bytes }: ToThread & { readonly kind: 'bytes' }): void {
    for (const byte of bytes) if (PARTS.has(byte)) this.#parts += 1;
    if (this.#parts > JSON_PARTS_MAX) {
      this.#post({ kind: 'cancel', id });
      return this.#break(id, new McpError('too_large', 'the answer has more parts than are read'));
    }
    pending.body?.enqueue(bytes);
    // What is queued here was received, and the sum of all answers is bounded.
    pending.consumed += bytes.length;
    if (pending.consumed < CONSUMED_BYTES) return;
    this.#post({ kind: 'consumed', id, bytes: pending.consumed });
    pending.consumed = 0;
  }

  #end(id: number, { body, stop, isStream }: Pending): void {
    this.#pending.delete(id);
    stop();
    body?.close();
    this.onEnd(isStream);
  }

  /** INVARIANT (no failure of what is not awaited): however the server takes it, the SDK finds it sent. */
  #leave(id: number, { stop, resolve }: Pending): void {
    this.#pending.delete(id);
    stop();
    resolve(new Response(null, { status: 202 }));
  }

  #break(id: number, error: McpError): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    if (!pending.isAwaited) return this.#leave(id, pending);
    this.#failure ??= error;
    this.#pending.delete(id);
    pending.stop();
    if (pending.body === null) pending.reject(error);
    else pending.body.error(error);
    this.onEnd(pending.isStream);
  }

  /** Nobody waits any more, which is no failure of the server. */
  #cancel(id: number, reason: Error): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    pending.stop();
    this.#post({ kind: 'cancel', id });
    pending.reject(reason);
    try {
      pending.body?.error(reason);
    } catch {
      // Whoever read it has ended it.
    }
  }

  #post(message: FromThread): void {
    this.#port.postMessage(message);
  }
}

const BROKEN_OFF = {
  unreachable: 'the connection to the server broke off',
  too_large: 'the server sent more than a session may receive',
  too_many_pieces: 'the server divides its answer into more pieces than are read',
} as const;
const brokenOff = (why: keyof typeof BROKEN_OFF): McpError =>
  new McpError(why === 'unreachable' ? why : 'too_large', BROKEN_OFF[why]);

/** INVARIANT (no redirects): an answer that leads elsewhere is none, so that the SDK follows none. */
function verifyReadable(status: number, headers: Headers): void {
  if (status < 200 || status > 599) throw new McpError('malformed', `the server answered with the status ${status}`);
  if (status >= 300 && status <= 399)
    throw new McpError('malformed', `the server answered with a redirect (${status}), and none is followed`);
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity')
    throw new McpError('malformed', 'the server compresses its answers, although it was asked not to');
}
