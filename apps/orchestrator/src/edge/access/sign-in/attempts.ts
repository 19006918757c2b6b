// SPDX-License-Identifier: Apache-2.0
// What a browser keeps between the way to the identity provider and the way back. It is encrypted, so the browser
// can't change it, and nobody who reads it learns the verifier.
import { hkdfSync } from 'node:crypto';
import { idSchema, parseMessage } from '@writ/contract';
import { EncryptJWT, jwtDecrypt } from 'jose';
import { Type, type Static } from 'typebox';

/** How long a person may take to sign in. */
export const ATTEMPT_S = 600;
const PURPOSE = 'writ/sign-in';
const Text = Type.String({ minLength: 1, maxLength: 512 });
const Attempt = Type.Object({
  tenant_id: idSchema('tenant'),
  provider_id: idSchema('identityProvider'),
  state: Text,
  nonce: Text,
  verifier: Text,
  /** the path below the public URL that the person comes back to */
  return_to: Text,
  /** what the sign-in is for; absent in an attempt of an older replica, which is for a consent */
  purpose: Type.Optional(Type.Literal('session')),
  /** how many seconds ago the person may have proved to the issuer who they are; absent: any number */
  max_age_s: Type.Optional(Type.Integer({ minimum: 0 })),
  /** the code of the invitation that the sign-in accepts; absent: none */
  invitation: Type.Optional(Text),
});

/** One way of a browser to the identity provider and back. */
export type Attempt = Static<typeof Attempt>;

/** Seals attempts. */
export class Attempts {
  readonly #key: Uint8Array;
  readonly #now: () => number;

  /**
   * @param key the webhook key, from which the key of attempts is derived
   * @param now milliseconds since the epoch
   */
  constructor(key: Buffer, now: () => number) {
    this.#key = new Uint8Array(hkdfSync('sha256', key, Buffer.alloc(0), `${PURPOSE}/v1`, 32));
    this.#now = now;
  }

  /** A text for a cookie. */
  async seal(attempt: Attempt): Promise<string> {
    return await new EncryptJWT({ attempt })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setAudience(PURPOSE)
      .setExpirationTime(Math.floor(this.#now() / 1_000) + ATTEMPT_S)
      .encrypt(this.#key);
  }

  /** Null for a text that isn't of here, or is too old. */
  async open(text: string): Promise<Attempt | null> {
    try {
      const { payload } = await jwtDecrypt(text, this.#key, {
        audience: PURPOSE,
        requiredClaims: ['exp'],
        currentDate: new Date(this.#now()),
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
      });
      return parseMessage(Attempt, payload['attempt']);
    } catch {
      return null;
    }
  }
}
