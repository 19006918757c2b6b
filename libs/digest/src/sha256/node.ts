// SPDX-License-Identifier: Apache-2.0
import { createHash, hash, type Hash } from 'node:crypto';
import { lengthOf, writeBytes } from '../bytes.ts';
import type { Sha256 } from './platform.ts';

const DIGEST_BYTES = 32;
/** Longer parts are hashed one after another: for them the calls don't dominate the cost. */
const JOINED_BYTES_MAX = 8 * 1024;

const joined = new Uint8Array(JOINED_BYTES_MAX);

/**
 * Nodes of a tree are 65 bytes in three parts. One call for all of them takes a third of the time of a hash object. The
 * bytes are valid until the next call.
 */
function join(parts: readonly Uint8Array[]): Uint8Array | null {
  if (parts.length === 1) return parts[0] as Uint8Array;
  return lengthOf(parts) > JOINED_BYTES_MAX ? null : writeBytes(joined, parts);
}

function inTurn(parts: readonly Uint8Array[]): Hash {
  const object = createHash('sha256');
  for (const part of parts) object.update(part);
  return object;
}

function digest(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = join(parts);
  if (bytes === null) return new Uint8Array(inTurn(parts).digest());
  // A text of 32 characters, one per byte: allocating a buffer would take longer than the hash.
  const text = hash('sha256', bytes, 'binary');
  const digested = new Uint8Array(DIGEST_BYTES);
  for (let at = 0; at < DIGEST_BYTES; at += 1) digested[at] = text.charCodeAt(at);
  return digested;
}

function hex(parts: readonly Uint8Array[]): string {
  const bytes = join(parts);
  return bytes === null ? inTurn(parts).digest('hex') : hash('sha256', bytes, 'hex');
}

/** By OpenSSL, for every process. */
export const platform: Sha256 = { digest, hex };
