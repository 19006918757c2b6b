// SPDX-License-Identifier: Apache-2.0
//
// What is kept of a call by reference (long arguments, long results, long lists of requests, full outputs) is stored as
// 'writ:bc1' ‖ nonce ‖ ciphertext ‖ tag, so that the store says nothing of it without a key of the call
// (docs/adr/0076).
//
// INVARIANT (one content, one place): a content opens as what it was sealed as, of the call and the attempt that it was
// sealed for, and as nothing else.
import { randomBytes, type KeyObject } from 'node:crypto';
import { Fault, type BlobRef } from '@writ/contract';
import { cipherOf, decipherOf, NONCE_BYTES, openBytes, sealBytes, TAG_BYTES } from './sealed-bytes.ts';

/** What a content is of its call. */
export type ContentKind = 'args' | 'result' | 'requests' | 'stdout' | 'stderr';

/** The attempt that arguments are sealed for: there is none when they are put. */
export const ARGUMENTS_ATTEMPT = 0;

/** What seals and opens the contents of one attempt of a call. The key MUST NOT be logged, kept or answered. */
export interface ContentSeal {
  /** 32 bytes */
  readonly key: Buffer | KeyObject;
  readonly tenantId: string;
  readonly operationId: string;
  readonly attempt: number;
}

/** Tells a sealed content from one that an executor or the API stored in clear. */
const MAGIC = Buffer.from('writ:bc1');
const HEADER_BYTES = MAGIC.length + NONCE_BYTES;
/** How many bytes longer than its content a sealed one is. */
export const SEAL_BYTES = HEADER_BYTES + TAG_BYTES;

/**
 * The reference to a sealed content, of the one to what was stored: it names what is stored, and its size is that of
 * the content. So no bound on a size hangs on whether a content is sealed.
 */
export const sealedRef = ({ sha256, size }: BlobRef): BlobRef => ({ sha256, size: size - SEAL_BYTES });

/** Seals a content for one place of one call. Each use draws a nonce, so equal contents give different bytes. */
export function sealContent(seal: ContentSeal, kind: ContentKind, clear: Uint8Array): Buffer {
  return Buffer.concat([MAGIC, sealBytes(seal.key, clear, contextOf(seal, kind))]);
}

/** @throws Fault `blob.corrupt` for anything but what `sealContent` or `sealedParts` gave for this seal and kind */
export function openContent(seal: ContentSeal, kind: ContentKind, sealed: Uint8Array): Buffer {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw notSealed();
  try {
    return openBytes(seal.key, bytes.subarray(MAGIC.length), contextOf(seal, kind));
  } catch (cause) {
    throw notSealed(cause);
  }
}

/** As `sealContent`, for what is too long to be held at once. */
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
 * As `openContent`, in parts, of which the last is held back until the whole is known to be what was sealed: who is
 * sent anything else never has all of it. Callers MUST NOT act on a part before the end was reached.
 */
export async function* openedParts(
  seal: ContentSeal,
  kind: ContentKind,
  sealed: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let decipher: ReturnType<typeof decipherOf> | null = null;
  // What came and wasn't passed on: the header until it is whole, then what may be the tag.
  let held = Buffer.alloc(0);
  let last: Buffer | null = null;
  for await (const part of sealed) {
    held = Buffer.concat([held, part]);
    if (decipher === null) {
      if (held.length < HEADER_BYTES) continue;
      if (!held.subarray(0, MAGIC.length).equals(MAGIC)) throw notSealed();
      decipher = decipherOf(seal.key, held.subarray(MAGIC.length, HEADER_BYTES), contextOf(seal, kind));
      held = held.subarray(HEADER_BYTES);
    }
    if (held.length <= TAG_BYTES) continue;
    if (last !== null) yield last;
    last = decipher.update(held.subarray(0, -TAG_BYTES));
    held = held.subarray(-TAG_BYTES);
  }
  if (decipher === null || held.length < TAG_BYTES) throw notSealed();
  try {
    decipher.setAuthTag(held).final();
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
