// SPDX-License-Identifier: Apache-2.0
import { KeyStoreError } from '@writ/signing';
import { parseIJson } from '@writ/digest';
import { parseMessage } from '@writ/contract';
import { randomBytes } from 'node:crypto';
import { Type } from 'typebox';
import { KEY_BYTES, openBytes, sealBytes } from '@writ/sealing';

/**
 * A key-encryption key that stays in its device or service and wraps files of private keys. It is used when a file is
 * read or written, never for a signature.
 *
 * Implementations MUST throw KeyStoreError where the device can't be reached or refuses, naming no secret. They MUST
 * end within seconds, since a process waits for them as it starts.
 */
export abstract class KeyWrap {
  /** Seals some dozens of bytes so that only the device opens them. Needs no secret. */
  abstract wrap(secret: Uint8Array): Uint8Array;
  abstract unwrap(wrapped: Uint8Array): Promise<Uint8Array>;
  /** The synchronous form, for the start: no other work could run meanwhile. */
  abstract unwrapAtStart(wrapped: Uint8Array): Uint8Array;
}

const Bytes = Type.String({ pattern: '^[A-Za-z0-9+/]+={0,2}$', maxLength: 4 * 1024 * 1024, description: 'base64' });
const WrappedFile = Type.Object(
  {
    v: Type.Literal(1),
    /** the content key of this file, as the device wrapped it */
    wrapped_key: Bytes,
    /** the content, AES-256-GCM */
    sealed: Bytes,
  },
  { additionalProperties: false },
);

const DEPTH_MAX = 2;
/**
 * Authenticated with the content, so that data sealed for another purpose under the same device is not accepted as a
 * ring.
 */
const CONTEXT = 'writ.key-ring.v1';

/** Answers whether a file's text has the form of a wrapped ring; it may still fail to open. */
export const isWrapped = (text: string): boolean => text.trimStart().startsWith('{') && text.includes('"wrapped_key"');

/** Seals the text of a ring under a fresh content key, and that key under the device's. */
export function wrapText(text: string, wrap: KeyWrap): string {
  const key = randomBytes(KEY_BYTES);
  const file = {
    v: 1,
    wrapped_key: Buffer.from(wrap.wrap(key)).toString('base64'),
    sealed: sealBytes(key, Buffer.from(text), CONTEXT).toString('base64'),
  };
  key.fill(0);
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** @throws KeyStoreError */
export const unwrapTextAtStart = (text: string, wrap: KeyWrap): string =>
  opened(text, (wrapped) => wrap.unwrapAtStart(wrapped));

/** Rejects with KeyStoreError. */
export async function unwrapText(text: string, wrap: KeyWrap): Promise<string> {
  const key = await wrap.unwrap(partsOf(text).wrappedKey);
  return opened(text, () => key);
}

function opened(text: string, keyOf: (wrapped: Uint8Array) => Uint8Array): string {
  const { wrappedKey, sealed } = partsOf(text);
  const key = Buffer.from(keyOf(wrappedKey));
  try {
    return openBytes(key, sealed, CONTEXT).toString('utf8');
  } catch (cause) {
    throw new KeyStoreError(
      'it does not open under the key that the device unwrapped: it was changed, or wrapped by another',
      { cause },
    );
  } finally {
    key.fill(0);
  }
}

function partsOf(text: string): { wrappedKey: Buffer; sealed: Buffer } {
  try {
    const { wrapped_key, sealed } = parseMessage(WrappedFile, parseIJson(text, { depthMax: DEPTH_MAX }));
    return { wrappedKey: Buffer.from(wrapped_key, 'base64'), sealed: Buffer.from(sealed, 'base64') };
  } catch (cause) {
    throw new KeyStoreError('it is no wrapped ring of keys', { cause });
  }
}
