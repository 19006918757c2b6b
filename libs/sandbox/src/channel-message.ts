// SPDX-License-Identifier: Apache-2.0
import { AGENT_FRAMES, encodeFrame, FrameError, HOST_FRAMES, type FrameTable } from './frame.ts';

/**
 * A message of one connection out of a container, beside the job's own messages. Only the agent opens connections, and
 * numbers them from 1. `net_end` closes one direction, `net_reset` both at once. `net_credit` lets the other side send
 * that many more bytes.
 */
export type ChannelMessage =
  | { readonly type: 'net_open'; readonly channel: number }
  | { readonly type: 'net_end' | 'net_reset'; readonly channel: number }
  | { readonly type: 'net_data'; readonly channel: number; readonly bytes: Buffer }
  | { readonly type: 'net_credit'; readonly channel: number; readonly count: number };
/** A channel message of the adapter, which opens no channels. */
export type HostChannelMessage = Exclude<ChannelMessage, { type: 'net_open' }>;

const ID_BYTES = 4;

export const isChannelFrame = (type: string): type is ChannelMessage['type'] => type.startsWith('net_');
export const isChannelMessage = (message: { readonly type: string }): message is ChannelMessage =>
  isChannelFrame(message.type);

/** The bytes of a message to the adapter. */
export const encodeAgentChannel = (message: ChannelMessage): Buffer => encode(AGENT_FRAMES, message);
/** The bytes of a message to the agent. */
export const encodeHostChannel = (message: HostChannelMessage): Buffer => encode(HOST_FRAMES, message);

function encode(table: FrameTable, message: ChannelMessage): Buffer {
  const row = table[message.type];
  if (row === undefined) throw new FrameError(`a frame \`${message.type}\` doesn't go this way`);
  const id = wordOf(message.channel);
  if (message.type === 'net_data') return encodeFrame(row, id, message.bytes);
  return message.type === 'net_credit' ? encodeFrame(row, id, wordOf(message.count)) : encodeFrame(row, id);
}

/** Parses a frame of a channel: attacker-controlled where it comes from an agent. Throws FrameError. */
export function parseChannel(type: ChannelMessage['type'], payload: Buffer): ChannelMessage {
  const wanted = type === 'net_credit' ? ID_BYTES + 4 : ID_BYTES;
  // An empty chunk would cost the reader time without using up its sender's credit.
  if (type === 'net_data' ? payload.length <= ID_BYTES : payload.length !== wanted)
    throw new FrameError(`a frame \`${type}\` of ${payload.length} bytes`);
  const channel = payload.readUInt32BE(0);
  if (type === 'net_data') return { type, channel, bytes: payload.subarray(ID_BYTES) };
  if (type === 'net_credit') return { type, channel, count: payload.readUInt32BE(ID_BYTES) };
  return type === 'net_open' ? { type, channel } : { type, channel };
}

function wordOf(value: number): Buffer {
  const word = Buffer.allocUnsafe(4);
  word.writeUInt32BE(value);
  return word;
}
