// SPDX-License-Identifier: Apache-2.0
import { Duplex } from 'node:stream';
import { MailboxError } from './mailbox-error.ts';

/** What the greeting of a server begins with (RFC 3501, section 7.1). */
const GREETING = '* ';

type Done = (error?: Error | null) => void;

/**
 * The given connection, which breaks when the server has sent more than it may in total. The bounds of one response do
 * not bound how many responses a server sends. It breaks as well when the server doesn't greet as IMAP servers do: the
 * client would wait for a greeting until the time is over.
 */
export class BoundedConnection extends Duplex {
  readonly #inner: Duplex;
  #left: number;
  #greeting = '';

  constructor(inner: Duplex, receivedBytesMax: number) {
    super({ allowHalfOpen: false });
    this.#inner = inner;
    this.#left = receivedBytesMax;
    inner.on('data', this.#receive);
    inner.on('end', this.#end);
    inner.on('error', this.#fail);
    inner.on('close', this.#close);
    inner.pause();
  }

  /** IMAP clients ask for it. The session has a deadline for all of it, so that no silence needs one of its own. */
  setTimeout(): this {
    return this;
  }

  override _read(): void {
    this.#inner.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: Done): void {
    if (this.#inner.destroyed) done(new MailboxError('unreachable', 'the connection is closed'));
    else this.#inner.write(bytes, done);
  }

  override _final(done: Done): void {
    this.#inner.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#inner.destroy();
    done(error);
  }

  readonly #receive = (bytes: Buffer): void => {
    this.#left -= bytes.length;
    if (this.#greeting.length < GREETING.length)
      this.#greeting += bytes.subarray(0, GREETING.length - this.#greeting.length).toString('latin1');
    if (!GREETING.startsWith(this.#greeting)) this.destroy(new MailboxError('malformed', 'the server does not greet'));
    else if (this.#left < 0)
      this.destroy(new MailboxError('too_large', 'the server sent more than a session may receive'));
    else if (!this.push(bytes)) this.#inner.pause();
  };

  readonly #end = (): void => {
    this.push(null);
  };

  readonly #fail = (error: Error): void => {
    this.destroy(error);
  };

  /** What was received before the end is still read here. */
  readonly #close = (): void => {
    if (!this.#inner.readableEnded) this.destroy(this.#inner.errored ?? undefined);
  };
}
