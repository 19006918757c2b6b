// SPDX-License-Identifier: Apache-2.0
// Who a member is. INVARIANT (no names at rest): tables have it encrypted under a key of the deployment, for the
// administrators of the tenant alone.
import { parseMessage, type TenantId } from '@writ/contract';
import { EncryptJWT, jwtDecrypt } from 'jose';
import { Type, type Static } from 'typebox';
import { keyOf } from '../sign-in/session-keys.ts';

const orNull = Type.Union([Type.String(), Type.Null()]);
const Who = Type.Object({
  /** as API keys name the person; null: issuer and subject are the person */
  principal: orNull,
  issuer: orNull,
  subject: orNull,
});
export type Who = Static<typeof Who>;

/** Nobody can tell: the key of the deployment has changed. */
const UNKNOWN: Who = { principal: null, issuer: null, subject: null };

/** Encrypts and decrypts who members are. */
export class MemberSeal {
  readonly #key: Uint8Array;

  /** @param key the webhook key, from which the key is derived */
  constructor(key: Buffer) {
    this.#key = keyOf(key, 'member/who');
  }

  async seal(tenantId: TenantId, who: Who): Promise<string> {
    return await new EncryptJWT({ who })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setAudience(`member ${tenantId}`)
      .encrypt(this.#key);
  }

  async open(tenantId: TenantId, sealed: string | null): Promise<Who> {
    if (sealed === null) return UNKNOWN;
    try {
      const { payload } = await jwtDecrypt(sealed, this.#key, {
        audience: `member ${tenantId}`,
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
      });
      return parseMessage(Who, payload['who']);
    } catch {
      return UNKNOWN;
    }
  }
}
