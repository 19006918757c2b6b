// SPDX-License-Identifier: Apache-2.0
import { Duplex } from 'node:stream';
import type { ChannelMessage } from './channel-message.ts';
import { FrameError, NET_CHUNK_BYTES_MAX } from './frame.ts';

/**
 * Bytes in transit on one channel: enough for a fast link at the delay of a local stream, few enough to buffer for
 * each.
 */
export const WINDOW_BYTES = 128 * 1024;
/** Credit is returned in quarters of the window: a frame for each chunk would double the frames. */
const CREDIT_BYTES_MIN = WINDOW_BYTES / 4;
type Done = (error?: Error | null) => void;

/** One connection. Reading from it gives the other side credit to send; writing waits for credit. */
export class Channel extends Duplex {
  readonly #id: number;
  readonly #send: (message: ChannelMessage) => void;
  #credit = WINDOW_BYTES;
  #waiting: { bytes: Buffer; done: Done } | null = null;
  #received = 0;
  #credited = 0;
  #theyEnded = false;
  #weEnded = false;
  #isReset = false;

  constructor(id: number, send: (message: ChannelMessage) => void) {
    // With a high-water mark of one byte, `_read` is called once the reader has consumed everything, which is when
    // credit is due.
    super({ allowHalfOpen: true, readableHighWaterMark: 1, writableHighWaterMark: NET_CHUNK_BYTES_MAX });
    this.#id = id;
    this.#send = send;
  }

  /** Processes a message of this channel. Throws FrameError where it is invalid in the channel's state. */
  receive(message: ChannelMessage): void {
    switch (message.type) {
      case 'net_open':
        throw new FrameError('a channel is opened twice');
      case 'net_data':
        return this.#receiveData(message.bytes);
      case 'net_credit':
        return this.#receiveCredit(message.count);
      case 'net_end':
        if (this.#theyEnded) throw new FrameError('a channel ends twice');
        this.#theyEnded = true;
        this.push(null);
        return;
      case 'net_reset':
        this.#isReset = true;
        this.destroy(new Error('the connection was reset'));
    }
  }

  override _read(): void {
    const credit = this.#received - this.#credited;
    if (credit < CREDIT_BYTES_MIN || this.#theyEnded || this.destroyed) return;
    this.#credited += credit;
    this.#send({ type: 'net_credit', channel: this.#id, count: credit });
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: Done): void {
    // No frame may be empty, and HTTP clients do write empty chunks at times.
    if (bytes.length === 0) return done();
    this.#waiting = { bytes, done };
    this.#flush();
  }

  override _final(done: Done): void {
    this.#weEnded = true;
    this.#send({ type: 'net_end', channel: this.#id });
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#waiting = null;
    if (!this.#isReset && !(this.#weEnded && this.#theyEnded)) this.#send({ type: 'net_reset', channel: this.#id });
    done(error);
  }

  #receiveData(bytes: Buffer): void {
    this.#received += bytes.length;
    if (this.#theyEnded || this.#received - this.#credited > WINDOW_BYTES)
      throw new FrameError('a channel carries more than it may');
    this.push(bytes);
  }

  #receiveCredit(count: number): void {
    if (count === 0 || this.#credit + count > WINDOW_BYTES)
      throw new FrameError('a channel is given more room than it used');
    this.#credit += count;
    this.#flush();
  }

  #flush(): void {
    while (this.#waiting !== null && this.#credit > 0) {
      const { bytes, done } = this.#waiting;
      const sent = bytes.subarray(0, Math.min(this.#credit, NET_CHUNK_BYTES_MAX));
      this.#credit -= sent.length;
      this.#send({ type: 'net_data', channel: this.#id, bytes: sent });
      if (sent.length < bytes.length) this.#waiting = { bytes: bytes.subarray(sent.length), done };
      else {
        this.#waiting = null;
        done();
      }
    }
  }
}
