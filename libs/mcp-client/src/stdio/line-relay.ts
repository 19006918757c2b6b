// SPDX-License-Identifier: Apache-2.0
//
// A session with a program over its standard input and output, as the event loop has it. INVARIANT (bytes only): what
// the program writes is passed on and never read here. INVARIANT (called once): a session sends one request that calls
// a tool at most, and says of it that it does. INVARIANT (announced right before): the call is written when its
// announcement was heard, and nothing comes between. INVARIANT (waits as at a pipe): a message is written when the one
// before was taken, so that a program that doesn't read leaves few bytes waiting.
import { PassThrough, type Duplex } from 'node:stream';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { BodyReader } from '../body-reader.ts';
import { isCallMethod } from '../call-methods.ts';
import { McpError } from '../mcp-error.ts';
import { CALL_BYTES_MAX, MESSAGE_BYTES_MAX, methodOf, ReceivedBound, strange, ThreadWatch } from '../session-bounds.ts';
import type { FromLineThread, Handshake, ToLineThread } from './line-messages.ts';

/** Bytes of messages that wait to be written: a call, and a few around it. */
const QUEUED_BYTES_MAX = CALL_BYTES_MAX + 4 * MESSAGE_BYTES_MAX;
/** Pages of a listing, the beginning and the end of a session, and answers to what the server asks. */
const MESSAGES_MAX = 128;
/** As much as a server says of itself; a process that says more serves one session. */
const HANDSHAKE_BYTES_MAX = 65_536;
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
  readonly #watch: ThreadWatch;
  readonly #received = new ReceivedBound();
  readonly #over = new AbortController();
  #reader: BodyReader | null = null;
  #writing: Promise<void> = Promise.resolve();
  #queued = 0;
  #messages = 0;
  #hasCalled = false;
  #isClosed = false;
  #failure: { readonly error: unknown } | null = null;
  #handshake: Handshake | null = null;

  constructor(options: LineRelayOptions) {
    const { port1, port2 } = new MessageChannel();
    this.port = port2;
    this.#own = port1;
    this.#options = options;
    port1.on('message', (message: FromLineThread) => this.#receive(message));
    // The thread closes its end with the session, and loses it when it is ended.
    port1.on('close', () => this.close());
    this.#watch = new ThreadWatch(() => this.#post({ kind: 'ping' }), options.onOverrun);
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
    this.#watch.close();
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
    else this.#watch.answered(message.busyMs);
  }

  #open(): void {
    if (this.#reader !== null || this.#isClosed) return;
    this.#watch.opened();
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

  #count(bytes: number): void {
    const why = this.#received.count(bytes);
    if (why !== null) this.#end(why);
  }

  #end(why: Extract<ToLineThread, { kind: 'end' }>['why']): void {
    this.#reader?.destroy();
    this.#post({ kind: 'end', why });
  }

  #post(message: ToLineThread): void {
    this.#own.postMessage(message);
  }
}

const LINE_FEED = 0x0a;
