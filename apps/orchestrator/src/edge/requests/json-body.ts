// SPDX-License-Identifier: Apache-2.0
import type { Readable } from 'node:stream';
import { Fault, LIMITS } from '@writ/contract';
import type { TSchema } from 'typebox';
import { READ_BODY } from '../work/edge-tasks.ts';
import { readBody, valuesAtMost } from './read-body.ts';
import type { WorkerTasks } from '../work/worker-tasks.ts';

/**
 * A body up to this size with at most this many values is read on the event loop: the worst case, members with
 * different names, takes less than five milliseconds.
 */
export const INLINE_BYTES = 64 * 1024;
export const INLINE_VALUES = 1_500;

/** How a body is read. */
export interface BodyReading {
  /** the route's name, and the schema that the body must match */
  readonly route: { readonly id: string; readonly body: TSchema };
  readonly bytesMax: number;
  readonly tasks: WorkerTasks;
  /** the tenant whose share of the worker threads it uses */
  readonly tenantId: string;
}

/**
 * Reads a JSON body, which is attacker-controlled. Undefined where there is none. A long one is read in a worker
 * thread. Faults: `request.too_large` as soon as more than `bytesMax` came (the rest is read and dropped by the
 * server), for too many values or names, and for one that takes too long to read; `request.malformed`; `overloaded`.
 */
export async function readJsonBody(
  stream: Readable,
  { route, bytesMax, tasks, tenantId }: BodyReading,
): Promise<unknown> {
  const bytes = await readBytes(stream, bytesMax);
  if (bytes.length === 0) return undefined;
  if (isShort(bytes)) return readBody(bytes, route.body);
  try {
    return await tasks.run(READ_BODY, tenantId, { bytes, route: route.id });
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'limit.exceeded') throw error;
    throw new Fault('request.too_large', 'the body takes too long to read; send it in parts', { cause: error });
  }
}

function isShort(bytes: Uint8Array): boolean {
  const bounds = { enough: INLINE_VALUES, depthMax: LIMITS.argsDepth.max };
  return bytes.length <= INLINE_BYTES && valuesAtMost(bytes, bounds) <= INLINE_VALUES;
}

function readBytes(stream: Readable, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    stream.on('data', (part: Buffer) => {
      size += part.length;
      // From here on, parts are discarded instead of stored.
      if (size > bytesMax) {
        parts.length = 0;
        reject(tooLarge(bytesMax));
      } else parts.push(part);
    });
    stream.once('end', () => resolve(Buffer.concat(parts)));
    stream.once('error', (cause) =>
      reject(new Fault('request.malformed', 'the body ended before it was whole', { cause })),
    );
    stream.once('close', () => reject(new Fault('request.malformed', 'the body ended before it was whole')));
  });
}

/** The fault for a body that is longer than its route accepts. */
export function tooLarge(bytesMax: number): Fault {
  return new Fault(
    'request.too_large',
    `the body may have at most ${bytesMax} bytes here; larger contents are uploaded as files of a workspace`,
  );
}
