// SPDX-License-Identifier: Apache-2.0
/**
 * Connections over the one stream between an adapter and its agent; the same code on both sides.
 *
 * INVARIANT (no starving): a side sends no more on a channel than the other side's window permits. So a channel without
 * a reader blocks neither the others nor the job.
 * INVARIANT (bounded): all channels together buffer at most `CHANNELS_MAX` windows each way.
 * INVARIANT (fails closed): a message for a channel that was never opened, or more bytes than the window, breaks the
 * whole stream.
 */
import type { Duplex } from 'node:stream';
import { Channel, WINDOW_BYTES } from './channel.ts';
import type { ChannelMessage } from './channel-message.ts';
import { FrameError } from './frame.ts';

export { WINDOW_BYTES } from './channel.ts';
/** Concurrent connections of one job: several times what package managers open, and 8 MiB of windows. */
export const CHANNELS_MAX = 32;
/** Connections of one job in total: enough for thousands of small files, one each; the bound on channel numbers. */
export const OPENED_MAX = 10_000;

/**
 * Frames without content that an honest side can have in transit for one channel: credit for the parts of a window, and
 * its end, several times over.
 */
const STRAY_FRAMES_MAX = 16;

export interface ChannelsOptions {
  /** Sends a message to the other side; MUST keep the order of messages. */
  readonly send: (message: ChannelMessage) => void;
  /** Receives a connection that the other side has opened; absent where it may open none. */
  readonly opened?: (connection: Duplex) => void;
}

export class Channels {
  readonly #options: ChannelsOptions;
  readonly #open = new Map<number, Channel>();
  #last = 0;
  #strayBytes = 0;
  #strayFrames = 0;
  #closed = false;

  constructor(options: ChannelsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Opens a connection to the other side; null where the limit is reached. */
  open(): Duplex | null {
    if (this.#closed || this.#open.size >= CHANNELS_MAX || this.#last >= OPENED_MAX) return null;
    this.#last += 1;
    const channel = this.#make(this.#last);
    this.#options.send({ type: 'net_open', channel: this.#last });
    return channel;
  }

  /** Processes a message of the other side. Throws FrameError where it is invalid. */
  receive(message: ChannelMessage): void {
    if (this.#closed) return;
    if (message.type === 'net_open') return this.#opened(message.channel);
    if (message.channel === 0 || message.channel > this.#last)
      throw new FrameError('a channel is spoken of that was never opened');
    const channel = this.#open.get(message.channel);
    if (channel !== undefined) return channel.receive(message);
    // The message was in transit when this side closed the channel. Each channel can have no more in transit than its
    // window.
    if (message.type === 'net_data') this.#strayBytes += message.bytes.length;
    else this.#strayFrames += 1;
    if (this.#strayBytes > this.#last * WINDOW_BYTES || this.#strayFrames > this.#last * STRAY_FRAMES_MAX)
      throw new FrameError('closed channels are spoken on without end');
  }

  /** Ends every connection; nothing is sent or accepted any more. */
  close(): void {
    this.#closed = true;
    for (const channel of this.#open.values()) channel.destroy();
    this.#open.clear();
  }

  #opened(id: number): void {
    const { opened, send } = this.#options;
    if (opened === undefined) throw new FrameError("a channel is opened by whom it isn't given to");
    if (id !== this.#last + 1 || id > OPENED_MAX) throw new FrameError('a channel is opened out of turn');
    this.#last = id;
    if (this.#open.size >= CHANNELS_MAX) return send({ type: 'net_reset', channel: id });
    opened(this.#make(id));
  }

  #make(id: number): Channel {
    const channel = new Channel(id, (message) => {
      if (!this.#closed) this.#options.send(message);
    });
    this.#open.set(id, channel);
    // The user of the connection listens for its end; an error must not end the process.
    channel.on('error', () => undefined);
    channel.once('close', () => this.#open.delete(id));
    return channel;
  }
}
