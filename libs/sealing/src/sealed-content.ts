// SPDX-License-Identifier: Apache-2.0
//
// The contents of a call that are stored by reference (long arguments, long results, long lists of requests, full
// outputs) have the form 'writ:bc1' ‖ nonce ‖ ciphertext ‖ tag, so that the store reveals nothing without a key of the
// call (docs/adr/0076).
//
// INVARIANT (one content, one place): a content opens only as the kind, and for the call and attempt, that it was
// sealed for.
import { randomBytes, type KeyObject } from 'node:crypto';
import { Fault, type BlobRef } from '@writ/contract';
import { cipherOf, decipherOf, NONCE_BYTES, openBytes, sealBytes, TAG_BYTES } from './sealed-bytes.ts';

/** The kind of a content of a call. */
export type ContentKind = 'args' | 'result' | 'requests' | 'stdout' | 'stderr';

/** The attempt for sealing arguments: there is none yet when they are put. */
export const ARGUMENTS_ATTEMPT = 0;

/** Seals and opens the contents of one attempt of a call. The key MUST NOT be logged, stored or sent. */
export interface ContentSeal {
  /** 32 bytes */
  readonly key: Buffer | KeyObject;
  readonly tenantId: string;
  readonly operationId: string;
  readonly attempt: number;
}

/** Distinguishes a sealed content from one that an executor or the API stored in clear. */
const MAGIC = Buffer.from('writ:bc1');
const HEADER_BYTES = MAGIC.length + NONCE_BYTES;
/** The extra length of a sealed content, in bytes. */
export const SEAL_BYTES = HEADER_BYTES + TAG_BYTES;

/**
 * The reference to a sealed content, from the reference to its stored bytes: it has the hash of the stored bytes and
 * the size of the content. So limits on sizes don't depend on whether a content is sealed.
 */
export const sealedRef = ({ sha256, size }: BlobRef): BlobRef => ({ sha256, size: size - SEAL_BYTES });

/** Seals a content of a call. Each use takes a random nonce, so equal contents have different bytes. */
export function sealContent(seal: ContentSeal, kind: ContentKind, clear: Uint8Array): Buffer {
  return Buffer.concat([MAGIC, sealBytes(seal.key, clear, contextOf(seal, kind))]);
}

/** @throws Fault `blob.corrupt` for anything but the output of `sealContent` or `sealedParts` for this seal and kind */
export function openContent(seal: ContentSeal, kind: ContentKind, sealed: Uint8Array): Buffer {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw notSealed();
  try {
    return openBytes(seal.key, bytes.subarray(MAGIC.length), contextOf(seal, kind));
  } catch (cause) {
    throw notSealed(cause);
  }
}

/** As `sealContent`, for contents that are too long for memory. */
export async function* sealedParts(
  seal: ContentSeal,
  kind: ContentKind,
  clear: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = cipherOf(seal.key, nonce, contextOf(seal, kind));
  yield Buffer.concat([MAGIC, nonce]);
  for await (const part of clear) yield cipher.update(part);
  yield Buffer.concat([cipher.final(), cipher.getAuthTag()]);
}

/**
 * As `openContent`, in parts. The last part is withheld until the whole is authenticated, so a reader never has all of
 * a forged content. Callers MUST NOT act on a part before the end.
 */
export async function* openedParts(
  seal: ContentSeal,
  kind: ContentKind,
  sealed: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let decipher: ReturnType<typeof decipherOf> | null = null;
  // Received but not yet forwarded: the header until it is complete, then the bytes that may be the tag.
  let buffered = Buffer.alloc(0);
  let last: Buffer | null = null;
  for await (const part of sealed) {
    buffered = Buffer.concat([buffered, part]);
    if (decipher === null) {
      if (buffered.length < HEADER_BYTES) continue;
      if (!buffered.subarray(0, MAGIC.length).equals(MAGIC)) throw notSealed();
      decipher = decipherOf(seal.key, buffered.subarray(MAGIC.length, HEADER_BYTES), contextOf(seal, kind));
      buffered = buffered.subarray(HEADER_BYTES);
    }
    if (buffered.length <= TAG_BYTES) continue;
    if (last !== null) yield last;
    last = decipher.update(buffered.subarray(0, -TAG_BYTES));
    buffered = buffered.subarray(-TAG_BYTES);
  }
  if (decipher === null || buffered.length < TAG_BYTES) throw notSealed();
  try {
    decipher.setAuthTag(buffered).final();
  } catch (cause) {
    throw notSealed(cause);
  }
  if (last !== null) yield last;
}

const contextOf = ({ tenantId, operationId, attempt }: ContentSeal, kind: ContentKind): string =>
  `${tenantId}\n${operationId}\n${attempt}\n${kind}`;

const notSealed = (cause?: unknown): Fault =>
  new Fault(
    'blob.corrupt',
    'a stored content is not what was sealed for its call',
    cause === undefined ? undefined : { cause },
  );
