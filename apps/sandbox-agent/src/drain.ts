// SPDX-License-Identifier: Apache-2.0
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Pipe } from './pipes.ts';

/** What a pipe holds at most, so that one read empties it. */
const READ_BYTES = 64 * 1024;

/**
 * Reads a pipe to its end, always into the same memory: a flood would otherwise make garbage faster than it is collected, and
 * that counts against the job's limit. The bytes are valid only during `take`.
 */
export function drainPipe(pipe: Pipe, take: (bytes: Buffer) => void): Promise<void> {
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  const onread = {
    buffer,
    callback: (count: number) => {
      take(buffer.subarray(0, count));
      return true;
    },
  };
  return ended(new Socket({ fd: pipe.agentFd, readable: true, writable: false, onread }).resume());
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
