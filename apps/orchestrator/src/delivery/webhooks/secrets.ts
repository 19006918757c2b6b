// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { openBytes, sealBytes } from '@writ/sealing';
import { Webhook } from 'standardwebhooks';

/** Standard Webhooks requires at least 24 bytes. */
const SECRET_BYTES = 32;

/** The webhook to which an encrypted secret is bound: it opens for no other. */
export interface SecretOf {
  readonly tenant_id: string;
  readonly webhook_id: string;
}

export interface SignedMessage {
  readonly message_id: string;
  readonly body: string;
}

/** Secrets of webhooks: shown once, stored encrypted, and decrypted to sign messages. */
export class WebhookSecrets {
  readonly #key: Buffer;

  /** @param key 32 bytes */
  constructor(key: Buffer) {
    this.#key = key;
  }

  /** A new secret, as text for its owner (`whsec_` and base64) and encrypted for the store. */
  make(of: SecretOf): { readonly text: string; readonly sealed: Buffer } {
    const { text, secret } = newSecret();
    return { text, sealed: sealBytes(this.#key, secret, boundTo(of)) };
  }

  /**
   * The headers of a message by Standard Webhooks, signed with every valid secret. During a rotation, a receiver can
   * verify with either one.
   * @param now milliseconds since the epoch, of this attempt
   */
  headers(of: SecretOf, sealed: readonly Buffer[], message: SignedMessage, now: number): Record<string, string> {
    const secrets = sealed.map((each) => openBytes(this.#key, each, boundTo(of)));
    return signedHeaders(secrets, message, now);
  }
}

/** A new secret, and its text for its owner: `whsec_` and base64. */
export function newSecret(): { readonly text: string; readonly secret: Buffer } {
  const secret = randomBytes(SECRET_BYTES);
  return { text: `whsec_${secret.toString('base64')}`, secret };
}

/** The secret of such a text. */
export const secretOfText = (text: string): Buffer => Buffer.from(text.replace(/^whsec_/, ''), 'base64');

/**
 * The headers of a message by Standard Webhooks, signed with each of the secrets.
 * @param now milliseconds since the epoch, of this attempt
 */
export function signedHeaders(
  secrets: readonly Uint8Array[],
  { message_id, body }: SignedMessage,
  now: number,
): Record<string, string> {
  const signatures = secrets.map((secret) =>
    new Webhook(secret, { format: 'raw' }).sign(message_id, new Date(now), body),
  );
  return {
    'webhook-id': message_id,
    'webhook-timestamp': String(Math.floor(now / 1_000)),
    'webhook-signature': signatures.join(' '),
  };
}

const boundTo = ({ tenant_id, webhook_id }: SecretOf): string => `writ/webhook/v1\n${tenant_id}\n${webhook_id}`;
