// SPDX-License-Identifier: Apache-2.0
import { Duplex } from 'node:stream';
import type { ChannelMessage } from './channel-message.ts';
import { FrameError, NET_CHUNK_BYTES_MAX } from './frame.ts';

/**
 * What may be on its way on one channel: enough for a fast link at the delay of a local stream, little enough to keep
 * for each.
 */
export const WINDOW_BYTES = 128 * 1024;
/** Room is given back by the quarter: a frame for each chunk would double them. */
const CREDIT_BYTES_MIN = WINDOW_BYTES / 4;
type Done = (error?: Error | null) => void;

/** One connection. Reading it gives the other side room to send; writing waits for room. */
export class Channel extends Duplex {
  readonly #id: number;
  readonly #send: (message: ChannelMessage) => void;
  #room = WINDOW_BYTES;
  #waiting: { bytes: Buffer; done: Done } | null = null;
  #received = 0;
  #credited = 0;
  #theyEnded = false;
  #weEnded = false;
  #isReset = false;

  constructor(id: number, send: (message: ChannelMessage) => void) {
    // With a mark of one byte `_read` is called once all that came has been taken, and that is when there is room
    // again.
    super({ allowHalfOpen: true, readableHighWaterMark: 1, writableHighWaterMark: NET_CHUNK_BYTES_MAX });
    this.#id = id;
    this.#send = send;
  }

  /** Takes a message of this channel. Throws FrameError where it can't stand. */
  hear(message: ChannelMessage): void {
    switch (message.type) {
      case 'net_open':
        throw new FrameError('a channel is opened twice');
      case 'net_data':
        return this.#takeData(message.bytes);
      case 'net_credit':
        return this.#takeCredit(message.count);
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
    const room = this.#received - this.#credited;
    if (room < CREDIT_BYTES_MIN || this.#theyEnded || this.destroyed) return;
    this.#credited += room;
    this.#send({ type: 'net_credit', channel: this.#id, count: room });
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: Done): void {
    // No frame carries nothing, and writers of HTTP do write nothing at times.
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

  #takeData(bytes: Buffer): void {
    this.#received += bytes.length;
    if (this.#theyEnded || this.#received - this.#credited > WINDOW_BYTES)
      throw new FrameError('a channel carries more than it may');
    this.push(bytes);
  }

  #takeCredit(count: number): void {
    if (count === 0 || this.#room + count > WINDOW_BYTES)
      throw new FrameError('a channel is given more room than it used');
    this.#room += count;
    this.#flush();
  }

  #flush(): void {
    while (this.#waiting !== null && this.#room > 0) {
      const { bytes, done } = this.#waiting;
      const sent = bytes.subarray(0, Math.min(this.#room, NET_CHUNK_BYTES_MAX));
      this.#room -= sent.length;
      this.#send({ type: 'net_data', channel: this.#id, bytes: sent });
      if (sent.length < bytes.length) this.#waiting = { bytes: bytes.subarray(sent.length), done };
      else {
        this.#waiting = null;
        done();
      }
    }
  }
}
