// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import type { Effort } from './effort.ts';

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

/** An object of git, without its header. */
export interface GitObject {
  readonly type: ObjectType;
  readonly bytes: Buffer;
}

/** Longer objects are not read, and no intermediate result may be longer. */
export const OBJECT_BYTES_MAX = 32 * 1024 * 1024;
/** The cost of setting up zlib, in bytes that it would inflate meanwhile. */
const INFLATE_BYTES = 4 * 1024;
const HEADER = /^(commit|tree|blob|tag) (\d{1,10})$/;
/** The longest type, a space, ten digits and a NUL. */
const HEADER_BYTES = 18;

/** Git's name of an object: SHA-1 over its type, its length, a NUL and its bytes, in hexadecimal. */
export const objectName = (type: ObjectType, bytes: Uint8Array): string =>
  createHash('sha1').update(`${type} ${bytes.byteLength}\0`).update(bytes).digest('hex');

/** Git's name of a file's content. */
export const gitBlobName = (bytes: Uint8Array): string => objectName('blob', bytes);

export const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * Inflates the stream at the beginning of the bytes. Null where it is damaged or longer than `bytesMax`.
 * @throws BeyondEffort
 */
export function inflated(compressed: Uint8Array, bytesMax: number, effort: Effort): Buffer | null {
  effort.spendBytes(INFLATE_BYTES);
  const most = Math.min(bytesMax, effort.bytes);
  try {
    const bytes = inflateSync(compressed, { maxOutputLength: most + 1 });
    effort.spendBytes(bytes.length);
    return bytes.length > bytesMax ? null : bytes;
  } catch (error) {
    // A stream that exceeds the limit has been inflated up to it.
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') effort.spendBytes(most + 1);
    else if (!(error instanceof Error) || error.name === 'BeyondEffort') throw error;
    return null;
  }
}

/**
 * The object in a loose file; null where it is invalid.
 * @throws BeyondEffort
 */
export function readLooseObject(compressed: Uint8Array, effort: Effort): GitObject | null {
  const bytes = inflated(compressed, OBJECT_BYTES_MAX + HEADER_BYTES, effort);
  const end = bytes?.subarray(0, HEADER_BYTES).indexOf(0) ?? -1;
  if (bytes === null || end < 0) return null;
  const [, type, length] = HEADER.exec(bytes.toString('latin1', 0, end)) ?? [];
  const body = bytes.subarray(end + 1);
  return type === undefined || Number(length) !== body.length ? null : { type: type as ObjectType, bytes: body };
}
