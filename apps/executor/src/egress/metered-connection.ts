// SPDX-License-Identifier: Apache-2.0
import { Duplex } from 'node:stream';

type Done = (error?: Error | null) => void;

/** Bytes given to the inner connection at once. While the other side reads slowly, no more than these wait inside. */
const SLICE_BYTES_MAX = 16 * 1024;

/** Called before bytes pass; throws when they must not. */
export interface TransferMeter {
  /**
   * Null if bytes may pass now. Otherwise resolves when it has to be asked again, and rejects when no byte may pass any
   * more. Callers MUST call `sent` or `received` in the same turn, before any time passes.
   */
  pass(): Promise<void> | null;
  sent(bytes: number): void;
  received(bytes: number): void;
}

/**
 * A connection that passes bytes only after its meter accepted them. It breaks at the first chunk that exceeds the
 * budget. A long write passes in slices, and the meter has to accept each of them. While its meter says to wait, it
 * holds one chunk in each direction and reads no further.
 */
export class MeteredConnection extends Duplex {
  readonly #inner: Duplex;
  readonly #meter: TransferMeter;
  /** what arrived and waits for the meter, in order; null is the end */
  readonly #arrived: (Buffer | null)[] = [];
  #isHeld = false;

  constructor(inner: Duplex, meter: TransferMeter) {
    super({ allowHalfOpen: true });
    this.#inner = inner;
    this.#meter = meter;
    inner.on('data', (bytes: Buffer) => this.#receive(bytes));
    inner.on('end', () => this.#receive(null));
    inner.on('error', (error) => this.destroy(error));
    inner.on('close', () => {
      this.#innerClosed();
    });
    inner.pause();
  }

  override _read(): void {
    if (!this.#isHeld) this.#inner.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#send(bytes, done);
  }

  #send(bytes: Buffer, done: Done): void {
    const wait = this.#meter.pass();
    if (wait === null) this.#sendSlice(bytes, done);
    else
      void wait.then(() => {
        if (this.destroyed) done(new Error('the connection is closed'));
        else this.#send(bytes, done);
      }, done);
  }

  /** Sends one slice. The next one asks the meter anew, once the inner connection has handed this one on. */
  #sendSlice(bytes: Buffer, done: Done): void {
    const slice = bytes.subarray(0, SLICE_BYTES_MAX);
    const rest = bytes.subarray(slice.length);
    try {
      this.#meter.sent(slice.length);
    } catch (error) {
      done(error as Error);
      return;
    }
    this.#inner.write(slice, (error) => {
      if (rest.length === 0 || error instanceof Error) done(error);
      else if (this.destroyed) done(new Error('the connection is closed'));
      else this.#send(rest, done);
    });
  }

  override _final(done: Done): void {
    const wait = this.#meter.pass();
    if (wait === null) this.#inner.end(done);
    else
      void wait.then(() => {
        if (this.destroyed) done(new Error('the connection is closed'));
        else this._final(done);
      }, done);
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

  #receive(bytes: Buffer | null): void {
    this.#arrived.push(bytes);
    if (!this.#isHeld) this.#deliver();
  }

  #deliver(): void {
    for (let bytes = this.#arrived[0]; bytes !== undefined && !this.destroyed; bytes = this.#arrived[0]) {
      if (bytes !== null && !this.#mayReceive(bytes.length)) return;
      this.#arrived.shift();
      if (!this.push(bytes)) this.#inner.pause();
    }
  }

  /** False if the bytes wait, or if the connection broke. */
  #mayReceive(bytes: number): boolean {
    const wait = this.#meter.pass();
    if (wait !== null) {
      this.#hold(wait);
      return false;
    }
    try {
      this.#meter.received(bytes);
      return true;
    } catch (error) {
      this.destroy(error as Error);
      return false;
    }
  }

  #hold(wait: Promise<void>): void {
    this.#isHeld = true;
    this.#inner.pause();
    void wait.then(
      () => {
        this.#isHeld = false;
        if (this.destroyed) return;
        // `push` pauses it again if nobody reads.
        this.#inner.resume();
        this.#deliver();
      },
      (error: unknown) => this.destroy(error as Error),
    );
  }
}
