// SPDX-License-Identifier: Apache-2.0
import { Duplex } from 'node:stream';

type Done = (error?: Error | null) => void;

/** Called before bytes pass; throws when they must not. */
export interface TransferMeter {
  sent(bytes: number): void;
  received(bytes: number): void;
}

/**
 * A connection that passes bytes only after its meter accepted them. It breaks at the first chunk that exceeds the
 * budget.
 */
export class MeteredConnection extends Duplex {
  readonly #inner: Duplex;
  readonly #meter: TransferMeter;

  constructor(inner: Duplex, meter: TransferMeter) {
    super({ allowHalfOpen: true });
    this.#inner = inner;
    this.#meter = meter;
    inner.on('data', (bytes: Buffer) => this.#receive(bytes));
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
      this.#meter.sent(bytes.length);
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

  /**
   * After a complete end, buffered bytes are still to be read here. After any other close there is nothing more to wait
   * for.
   */
  #innerClosed(): void {
    if (this.#inner.readableEnded && !this.readableEnded)
      this.once('end', () => {
        this.destroy();
      });
    else this.destroy();
  }

  #receive(bytes: Buffer): void {
    try {
      this.#meter.received(bytes.length);
    } catch (error) {
      this.destroy(error as Error);
      return;
    }
    if (!this.push(bytes)) this.#inner.pause();
  }
}
