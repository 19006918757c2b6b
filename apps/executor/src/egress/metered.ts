// SPDX-License-Identifier: Apache-2.0
import { Duplex } from 'node:stream';

type Done = (error?: Error | null) => void;

/** Who is asked before bytes pass; throws when they mustn't. */
export interface Toll {
  sent(bytes: number): void;
  received(bytes: number): void;
}

/**
 * A connection that passes nothing that its toll doesn't let through: it breaks at the chunk that would be too much.
 */
export class Metered extends Duplex {
  readonly #inner: Duplex;
  readonly #toll: Toll;

  constructor(inner: Duplex, toll: Toll) {
    super({ allowHalfOpen: true });
    this.#inner = inner;
    this.#toll = toll;
    inner.on('data', (bytes: Buffer) => this.#take(bytes));
    inner.on('end', () => this.push(null));
    inner.on('error', (error) => this.destroy(error));
    inner.on('close', () => {
      this.#innerClosed();
    });
    inner.pause();
  }

  override _read(): void {
    this.#inner.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: Done): void {
    try {
      this.#toll.sent(bytes.length);
    } catch (error) {
      done(error as Error);
      return;
    }
    this.#inner.write(bytes, done);
  }

  override _final(done: Done): void {
    this.#inner.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#inner.destroy();
    done(error);
  }

  /** What came before a whole end is still to be read here; after anything else nobody waits for more. */
  #innerClosed(): void {
    if (this.#inner.readableEnded && !this.readableEnded)
      this.once('end', () => {
        this.destroy();
      });
    else this.destroy();
  }

  #take(bytes: Buffer): void {
    try {
      this.#toll.received(bytes.length);
    } catch (error) {
      this.destroy(error as Error);
      return;
    }
    if (!this.push(bytes)) this.#inner.pause();
  }
}
