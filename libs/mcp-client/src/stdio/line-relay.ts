// SPDX-License-Identifier: Apache-2.0
//
// A session with a program over its standard input and output, as the event loop has it. INVARIANT (bytes only): what
// the program writes is passed on and never read here. INVARIANT (called once): a session sends one request that calls
// a tool at most, and says of it that it does. INVARIANT (announced right before): the call is written when its
// announcement was heard, and nothing comes between. INVARIANT (waits as at a pipe): a message is written when the one
// before was taken, so that a program that doesn't read leaves few bytes waiting.
import { PassThrough, type Duplex } from 'node:stream';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { parseJson } from '@writ/digest';
import { BodyReader } from '../body-reader.ts';
import { isCallMethod } from '../call-methods.ts';
import { McpError } from '../mcp-error.ts';
import type { FromLineThread, Handshake, ToLineThread } from './line-messages.ts';

/** Of a session: several images, or thousands of pages of text. */
const RECEIVED_BYTES_MAX = 16 * 1_048_576;
/** Each piece costs the event loop some time, however short it is. */
const PIECES_FREE = 16_384;
const PIECE_BYTES_MIN = 64;
/** The longest arguments of a call at six bytes a character, and what is around them. */
const CALL_BYTES_MAX = 8 * 1_048_576;
/** Every other message is a few hundred bytes long, and a cursor may be some thousand. */
const MESSAGE_BYTES_MAX = 65_536;
/** Bytes of messages that wait to be written: a call, and a few around it. */
const QUEUED_BYTES_MAX = CALL_BYTES_MAX + 4 * MESSAGE_BYTES_MAX;
/** Pages of a listing, the beginning and the end of a session, and answers to what the server asks. */
const MESSAGES_MAX = 128;
/** As much as a server says of itself; a process that says more serves one session. */
const HANDSHAKE_BYTES_MAX = 65_536;
const PING_MS = 1_000;
/** A thread that answers no ping for so long works on one message of the server, and may do so for hours. */
const PINGS_MAX = 5;
/** Several times what the largest session takes on a busy machine. */
const BUSY_MS_MAX = 20_000;

export interface LineRelayOptions {
  /** the program's input and output, which outlives the session; MUST have an error listener */
  readonly stream: Duplex;
  /** whether the session may call a tool */
  readonly mayCall: boolean;
  /** Announces the call. It rejects where the call must not be written. */
  readonly announce: () => Promise<void>;
  /** The thread computes longer than a session may. Its caller ends it. */
  readonly onOverrun: () => void;
}

/** The end of a session that stays with its event loop. */
export class LineRelay {
  /** The end for the thread. */
  readonly port: MessagePort;
  readonly #own: MessagePort;
  readonly #options: LineRelayOptions;
  /** what the session reads of the stream: the stream itself is never ended here */
  readonly #view = new PassThrough();
  readonly #onClose = (): void => void this.#view.destroy();
  readonly #timer: NodeJS.Timeout;
  readonly #over = new AbortController();
  #reader: BodyReader | null = null;
  #writing: Promise<void> = Promise.resolve();
  #queued = 0;
  #messages = 0;
  #received = 0;
  #pieces = 0;
  #hasCalled = false;
  #isClosed = false;
  #failure: { readonly error: unknown } | null = null;
  #handshake: Handshake | null = null;
  /** pings without an answer; null until the thread has opened its end */
  #unanswered: number | null = null;

  constructor(options: LineRelayOptions) {
    const { port1, port2 } = new MessageChannel();
    this.port = port2;
    this.#own = port1;
    this.#options = options;
    port1.on('message', (message: FromLineThread) => this.#receive(message));
    // The thread closes its end with the session, and loses it when it is ended.
    port1.on('close', () => this.close());
    this.#timer = setInterval(() => this.#ping(), PING_MS);
  }

  /** Why a message was not written; null where none was kept back. */
  get failure(): { readonly error: unknown } | null {
    return this.#failure;
  }

  /** Whether the call was written, or a part of it. */
  get hasCalled(): boolean {
    return this.#hasCalled;
  }

  /** Whether the program took all that was written to it, and nothing waits to be. */
  get isDrained(): boolean {
    return this.#queued === 0 && this.#options.stream.writableLength === 0;
  }

  /** With what the session began; null where it began with an earlier one's. */
  get handshake(): Handshake | null {
    return this.#handshake;
  }

  /** Ends the session, and leaves the stream as it is. What was not passed on is lost: it was for this session. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#over.abort();
    clearInterval(this.#timer);
    const { stream } = this.#options;
    stream.off('close', this.#onClose);
    stream.unpipe(this.#view);
    stream.pause();
    this.#reader?.destroy();
    this.#view.destroy();
    this.#own.close();
  }

  #receive(message: FromLineThread): void {
    if (message.kind === 'open') this.#open();
    else if (message.kind === 'write') this.#queue(message);
    else if (message.kind === 'consumed') this.#reader?.consumed(message.bytes);
    else if (message.kind === 'handshake') this.#keep(message.handshake);
    else {
      this.#unanswered = 0;
      if (message.busyMs > BUSY_MS_MAX) this.#options.onOverrun();
    }
  }

  #open(): void {
    if (this.#reader !== null || this.#isClosed) return;
    this.#unanswered = 0;
    const { stream } = this.#options;
    this.#reader = new BodyReader(this.#view, {
      onPiece: (bytes) => this.#count(bytes),
      onBytes: (bytes) => this.#post({ kind: 'bytes', bytes }),
      onEnd: () => this.#post({ kind: 'end', why: 'unreachable' }),
    });
    stream.once('close', this.#onClose);
    stream.pipe(this.#view);
    if (stream.destroyed) this.#onClose();
  }

  #queue(message: FromLineThread & { readonly kind: 'write' }): void {
    const { length } = message.bytes;
    if (this.#isOver()) return;
    if (this.#queued + length > QUEUED_BYTES_MAX) {
      this.#failure = { error: strange('more than the program reads') };
      return this.#end('unreachable');
    }
    this.#queued += length;
    this.#writing = this.#writing.then(() => this.#write(message)).finally(() => (this.#queued -= length));
  }

  /** It never rejects: what isn't written ends the session. */
  async #write(message: FromLineThread & { readonly kind: 'write' }): Promise<void> {
    if (this.#isOver()) return;
    try {
      this.#verify(message);
      if (message.isCall) await this.#options.announce();
      // Over meanwhile: nobody waits for the answer, so the call isn't made.
      if (this.#isOver()) return;
      if (this.#options.stream.destroyed) throw new McpError('unreachable', 'the server has ended');
      this.#hasCalled ||= message.isCall;
      await this.#taken(message.bytes);
    } catch (error) {
      this.#failure ??= { error };
      this.#end('unreachable');
    }
  }

  #isOver(): boolean {
    return this.#isClosed || this.#failure !== null;
  }

  /** Writes a message. Resolves when the program took it, or when it or the session is over. */
  async #taken(bytes: Uint8Array): Promise<void> {
    const { stream } = this.#options;
    if (stream.write(bytes)) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        stream.off('drain', done).off('close', done);
        this.#over.signal.removeEventListener('abort', done);
        resolve();
      };
      stream.once('drain', done).once('close', done);
      this.#over.signal.addEventListener('abort', done, { once: true });
      if (this.#isClosed) done();
    });
  }

  /** @throws McpError for what the thread never asks for, unless a server brings it to that */
  #verify({ bytes, isCall }: FromLineThread & { readonly kind: 'write' }): void {
    this.#messages += 1;
    if (this.#messages > MESSAGES_MAX) throw strange('more messages than it may');
    if (bytes.length > (isCall ? CALL_BYTES_MAX : MESSAGE_BYTES_MAX))
      throw new McpError('too_large', 'a message of the session is longer than it may be');
    if (bytes.indexOf(LINE_FEED) !== bytes.length - 1) throw strange('what is no line');
    if (!isCall && isCallMethod(methodOf(bytes))) throw strange('a message that does not say what it is');
    if (isCall && (!this.#options.mayCall || this.#hasCalled)) throw strange('another call than it may send');
  }

  #keep(handshake: Handshake): void {
    if (this.#handshake === null && handshake.result.length <= HANDSHAKE_BYTES_MAX) this.#handshake = handshake;
  }

  /** INVARIANT (few pieces): what a server writes costs time by its bytes, and not by how it divides them. */
  #count(bytes: number): void {
    this.#received += bytes;
    this.#pieces += 1;
    if (this.#received > RECEIVED_BYTES_MAX) this.#end('too_large');
    else if (this.#pieces > PIECES_FREE && this.#received < this.#pieces * PIECE_BYTES_MIN)
      this.#end('too_many_pieces');
  }

  #end(why: Extract<ToLineThread, { kind: 'end' }>['why']): void {
    this.#reader?.destroy();
    this.#post({ kind: 'end', why });
  }

  /** Counted by turns of this event loop: one that was late itself has not waited for the thread. */
  #ping(): void {
    if (this.#unanswered === null) return;
    this.#unanswered += 1;
    if (this.#unanswered > PINGS_MAX) this.#options.onOverrun();
    else this.#post({ kind: 'ping' });
  }

  #post(message: ToLineThread): void {
    this.#own.postMessage(message);
  }
}

const LINE_FEED = 0x0a;

const strange = (what: string): McpError => new McpError('malformed', `the session wants to send ${what}`);

/** The method of a message of JSON-RPC; null for an answer, which has none. @throws McpError for no single message */
function methodOf(bytes: Uint8Array): unknown {
  let message: unknown;
  try {
    message = parseJson(Buffer.from(bytes).toString('utf8'));
  } catch (cause) {
    throw new McpError('malformed', 'the session wants to send what is no JSON', { cause });
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    throw strange('what is no single message');
  return (message as { readonly method?: unknown }).method ?? null;
}
