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

/** Secrets of webhooks: shown once, stored encrypted, and decrypted to sign messages. */
export class WebhookSecrets {
  readonly #key: Buffer;

  /** @param key 32 bytes */
  constructor(key: Buffer) {
    this.#key = key;
  }

  /** A new secret, as text for its owner (`whsec_` and base64) and encrypted for the store. */
  make(of: SecretOf): { readonly text: string; readonly sealed: Buffer } {
    const secret = randomBytes(SECRET_BYTES);
    return { text: `whsec_${secret.toString('base64')}`, sealed: sealBytes(this.#key, secret, boundTo(of)) };
  }

  /**
   * The headers of a message by Standard Webhooks, signed with every valid secret. During a rotation, a receiver can
   * verify with either one.
   * @param now milliseconds since the epoch, of this attempt
   */
  headers(
    of: SecretOf,
    sealed: readonly Buffer[],
    { message_id, body }: { readonly message_id: string; readonly body: string },
    now: number,
  ): Record<string, string> {
    const signatures = sealed.map((each) =>
      new Webhook(openBytes(this.#key, each, boundTo(of)), { format: 'raw' }).sign(message_id, new Date(now), body),
    );
    return {
      'webhook-id': message_id,
      'webhook-timestamp': String(Math.floor(now / 1_000)),
      'webhook-signature': signatures.join(' '),
    };
  }
}

const boundTo = ({ tenant_id, webhook_id }: SecretOf): string => `writ/webhook/v1\n${tenant_id}\n${webhook_id}`;
