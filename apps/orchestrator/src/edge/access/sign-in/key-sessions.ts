// SPDX-License-Identifier: Apache-2.0
// Sessions of browsers that signed in with an API key: `writ_k_<sealed>`, in the cookie of sign-in sessions.
//
// INVARIANT (as its key): the text has the key itself, sealed. It is opened at each request, and goes the way that
// `Authorization: Bearer` goes. So a session can do what its key can, and ends with it.
// INVARIANT (nothing stored): what a text is good for is in the text alone. Nobody but this deployment makes or changes
// one, and whoever reads one learns no key. A copy is good until the text expires or its key is revoked.
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { parseMessage } from '@writ/contract';
import { parseJson } from '@writ/digest';
import { Type } from 'typebox';
import { keyOf } from './session-keys.ts';

const PURPOSE = 'key-session';
const PREFIX = 'writ_k_';
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ID_BYTES = 16;
/** Longer than the text of the longest key, and shorter than the longest cookie of browsers. */
const TEXT = /^writ_k_([A-Za-z0-9_-]{64,1024})$/;

const Sealed = Type.Object({
  id: Type.String({ minLength: 1 }),
  key: Type.String({ minLength: 1 }),
  /** milliseconds since the epoch */
  expires_at: Type.Integer(),
});

/** A session that was opened. */
export interface KeySession {
  /** the API key */
  readonly key: string;
  readonly expiresAt: number;
  /** what a form or a request of this session must bring for the purpose */
  readonly formToken: (purpose: string) => string;
}

export interface KeySessionsConfig {
  /** off: no session begins, and none is opened */
  readonly isOn: boolean;
  /** the webhook key, from which the keys of texts are derived */
  readonly key: Buffer;
  /** how long a session lasts at most, in milliseconds */
  readonly maxMs: number;
  /** milliseconds since the epoch */
  readonly now: () => number;
}

/** Whether a text has the form of one, so that other texts are not opened as one. */
export const isKeySessionText = (text: string): boolean => TEXT.test(text);

/** Begins and opens sessions. */
export class KeySessions {
  readonly #config: KeySessionsConfig;
  readonly #seal: Uint8Array;
  readonly #forms: Uint8Array;

  constructor(config: KeySessionsConfig) {
    this.#config = config;
    this.#seal = keyOf(config.key, `${PURPOSE}/seal`);
    this.#forms = keyOf(config.key, `${PURPOSE}/forms`);
  }

  get isOn(): boolean {
    return this.#config.isOn;
  }

  /**
   * The text of a new session. Callers MUST have verified the key.
   * @param keyExpiresAt null: the key has no end
   */
  begin(key: string, keyExpiresAt: number | null): { readonly text: string; readonly seconds: number } {
    const { isOn, maxMs, now } = this.#config;
    if (!isOn) throw new Error('key sessions are turned off');
    const start = now();
    const expires_at = Math.min(start + maxMs, keyExpiresAt ?? Infinity);
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#seal, nonce).setAAD(Buffer.from(PREFIX));
    const plain = JSON.stringify({ id: randomBytes(ID_BYTES).toString('base64url'), key, expires_at });
    const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    const seconds = Math.max(1, Math.ceil((expires_at - start) / 1_000));
    return { text: `${PREFIX}${sealed.toString('base64url')}`, seconds };
  }

  /** The session of a text, which is attacker-controlled. Null where it wasn't sealed here, or sessions are off. */
  open(text: string): KeySession | null {
    const [, encoded = ''] = TEXT.exec(text) ?? [];
    const bytes = Buffer.from(encoded, 'base64url');
    // Of the texts that decode to the same bytes, one is ours.
    if (!this.isOn || encoded === '' || bytes.toString('base64url') !== encoded) return null;
    const plain = this.#opened(bytes);
    if (plain === null) return null;
    const { id, key, expires_at } = parseMessage(Sealed, parseJson(plain));
    const formToken = (purpose: string): string =>
      createHmac('sha256', this.#forms).update(`${id} ${purpose}`).digest('base64url');
    return { key, expiresAt: expires_at, formToken };
  }

  isOver({ expiresAt }: KeySession): boolean {
    return this.#config.now() >= expiresAt;
  }

  #opened(bytes: Buffer): string | null {
    const tagAt = bytes.length - TAG_BYTES;
    const decipher = createDecipheriv(CIPHER, this.#seal, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(PREFIX))
      .setAuthTag(bytes.subarray(tagAt));
    try {
      return `${decipher.update(bytes.subarray(NONCE_BYTES, tagAt)).toString('utf8')}${decipher.final('utf8')}`;
    } catch {
      return null;
    }
  }
}
