// SPDX-License-Identifier: Apache-2.0
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Pipe } from './pipes.ts';

/** What a pipe holds at most, so that one read empties it. */
const READ_BYTES = 64 * 1024;

/** Bun, which the image has for the agent (ADR 0088), and of it what reads a pipe. */
declare const Bun: { file(fd: number): { stream(): AsyncIterable<Uint8Array> } } | undefined;

/** Reads a pipe to its end. The bytes are valid only during `take`. */
export async function drainPipe({ agentFd }: Pipe, take: (bytes: Buffer) => void): Promise<void> {
  // Node, on which these sources are tested beside their container, has no such reader; Bun has no socket of a file
  // that is open already.
  if (typeof Bun === 'undefined') return await drainSocket(agentFd, take);
  for await (const bytes of Bun.file(agentFd).stream())
    take(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

/** Always into the same memory: a flood would otherwise make garbage faster than it is collected. */
function drainSocket(fd: number, take: (bytes: Buffer) => void): Promise<void> {
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  const onread = {
    buffer,
    callback: (count: number) => {
      take(buffer.subarray(0, count));
      return true;
    },
  };
  return ended(new Socket({ fd, readable: true, writable: false, onread }).resume());
}

/** The same for a stream that `spawn` made. */
export function drainStream(stream: Readable | null, take: (bytes: Buffer) => void): Promise<void> {
  return stream ? ended(stream.on('data', take)) : Promise.resolve();
}

function ended(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    stream.on('error', () => resolve());
    stream.on('close', () => resolve());
  });
}
