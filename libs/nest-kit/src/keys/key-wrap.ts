// SPDX-License-Identifier: Apache-2.0
import { KeyStoreError } from '@writ/signing';
import { parseIJson } from '@writ/digest';
import { parseMessage } from '@writ/contract';
import { randomBytes } from 'node:crypto';
import { Type } from 'typebox';
import { KEY_BYTES, openBytes, sealBytes } from '@writ/sealing';

/**
 * A key that doesn't leave its device or service, and under which files of private keys lie. It is asked when a file is
 * read or written, never for a signature. Implementations MUST throw KeyStoreError where it can't be reached or
 * refuses, naming no secret, and MUST end within seconds: a process waits for them as it starts.
 */
export abstract class KeyWrap {
  /** Seals some dozens of bytes so that the device alone opens them. Asks for no secret. */
  abstract wrap(secret: Uint8Array): Uint8Array;
  abstract unwrap(wrapped: Uint8Array): Promise<Uint8Array>;
  /** The same before there is anything that could go on meanwhile. */
  abstract unwrapAtStart(wrapped: Uint8Array): Uint8Array;
}

const Bytes = Type.String({ pattern: '^[A-Za-z0-9+/]+={0,2}$', maxLength: 4 * 1024 * 1024, description: 'base64' });
const WrappedFile = Type.Object(
  {
    v: Type.Literal(1),
    /** the key of this file's content, as the device wrapped it */
    wrapped_key: Bytes,
    /** the content, AES-256-GCM */
    sealed: Bytes,
  },
  { additionalProperties: false },
);

const DEPTH_MAX = 2;
/** Authenticated with the content: what is sealed for something else under the same device is no ring. */
const CONTEXT = 'writ.key-ring.v1';

/** Answers whether a file's text is one that was wrapped; whether it opens is another question. */
export const isWrapped = (text: string): boolean => text.trimStart().startsWith('{') && text.includes('"wrapped_key"');

/** Seals the text of a ring under a key of its own, and that under the device's. */
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
