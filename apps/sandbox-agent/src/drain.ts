// SPDX-License-Identifier: Apache-2.0
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Pipe } from './pipes.ts';

/** The capacity of a pipe, so that one read empties it. */
const READ_BYTES = 64 * 1024;

/** The part of Bun that reads a pipe; the image has Bun for the agent (ADR 0088). */
declare const Bun: { file(fd: number): { stream(): AsyncIterable<Uint8Array> } } | undefined;

/** Reads a pipe to its end. The bytes are valid only during the call of `take`. */
export async function drainPipe({ agentFd }: Pipe, take: (bytes: Buffer) => void): Promise<void> {
  // Node, which runs these sources in tests, has no such reader, and Bun has no socket for a file that is open already.
  if (typeof Bun === 'undefined') return await drainSocket(agentFd, take);
  for await (const bytes of Bun.file(agentFd).stream())
    take(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

/** Reads always into the same memory: a flood would otherwise produce garbage faster than it is collected. */
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

/** Reads a stream of `spawn` to its end. */
export function drainStream(stream: Readable | null, take: (bytes: Buffer) => void): Promise<void> {
  return stream ? ended(stream.on('data', take)) : Promise.resolve();
}

function ended(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    stream.on('error', () => resolve());
    stream.on('close', () => resolve());
  });
}
