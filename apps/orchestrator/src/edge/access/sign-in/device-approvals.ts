// SPDX-License-Identifier: Apache-2.0
// The codes of devices, and who approved one (RFC 8628).
//
// INVARIANT (told without a look-up): the code of a device names its tenant and has a MAC under a key of the
// deployment. So a code that was made up costs no look-up, and people of another tenant can't approve it.
// INVARIANT (no names at rest): who approved a device is encrypted under a key of the deployment until the device asks,
// minutes at most.
import { createHmac, randomBytes, randomInt } from 'node:crypto';
import { ID_KINDS, idSchema, isId, parseMessage, type AgentId, type Id, type TenantId } from '@writ/contract';
import { sha256 } from '@writ/digest';
import { EncryptJWT, jwtDecrypt } from 'jose';
import { Type } from 'typebox';
import { isSame, keyOf } from './session-keys.ts';
import type { Identity } from './sign-in-texts.ts';

const BYTES = 32;
const PURPOSE = 'device';
const CODE = /^writ_d_([0-7][0-9a-hjkmnp-tv-z]{25})_([A-Za-z0-9_-]{43})([A-Za-z0-9_-]{43})$/;
/** RFC 8628 §6.1: no vowels, so that no words come up, and no characters that look alike. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LETTERS_COUNT = 8;

const Text = Type.String();
const orNull = (schema: ReturnType<typeof Type.String>) => Type.Union([schema, Type.Null()]);
const Sealed = Type.Object({
  provider_id: idSchema('identityProvider'),
  subject_hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  scopes: Type.Array(Text),
  // absent: sealed by a process of the version before groups
  groups: Type.Optional(Type.Array(Text)),
  identity: Type.Object({ issuer: Text, subject: Text, name: orNull(Text), agent_id: orNull(Text), shown: Text }),
  signed_in_at: Type.Integer(),
  expires_at: Type.Integer(),
  approved_by: idSchema('signIn'),
});

/** Who approved a device. */
export interface DeviceApproval {
  readonly tenant_id: TenantId;
  readonly provider_id: Id<'identityProvider'>;
  readonly subject_hash: Buffer;
  readonly scopes: readonly string[];
  readonly groups: readonly string[];
  readonly identity: Identity;
  /** when the person was at the identity provider */
  readonly signed_in_at: number;
  /** when the session of the person, and so that of the device, expires */
  readonly expires_at: number;
  readonly approved_by: Id<'signIn'>;
}

/** The code of a device. */
export interface DeviceCode {
  readonly tenantId: TenantId;
  readonly hash: Buffer;
}

/** Writes and reads codes and approvals of one deployment. */
export class DeviceApprovals {
  readonly #codes: Uint8Array;
  readonly #userCodes: Uint8Array;
  readonly #approvals: Uint8Array;

  /** @param key the webhook key, from which the keys are derived */
  constructor(key: Buffer) {
    this.#codes = keyOf(key, `${PURPOSE}/code`);
    this.#userCodes = keyOf(key, `${PURPOSE}/user-code`);
    this.#approvals = keyOf(key, `${PURPOSE}/approval`);
  }

  newDeviceCode(tenantId: TenantId): { readonly text: string; readonly hash: Buffer } {
    const text = `writ_d_${tenantId.slice(ID_KINDS.tenant.length + 1)}_${randomBytes(BYTES).toString('base64url')}`;
    const whole = `${text}${this.#codeOf(text)}`;
    return { text: whole, hash: hashOf(whole) };
  }

  /** Null for a code that was not handed out here. */
  readDeviceCode(text: string): DeviceCode | null {
    const [, tenant = '', , code = ''] = CODE.exec(text) ?? [];
    const tenantId = `${ID_KINDS.tenant}_${tenant}`;
    if (!isId('tenant', tenantId) || !isSame(this.#codeOf(text.slice(0, text.length - code.length)), code)) return null;
    return { tenantId, hash: hashOf(text) };
  }

  /** Such as `BCDF-GHJK`. */
  newUserCode(): string {
    const letters = Array.from({ length: LETTERS_COUNT }, () => LETTERS.charAt(randomInt(LETTERS.length))).join('');
    return shownCode(letters);
  }

  /** The keyed hash of a code in its usual form: a plain one could be tried out. */
  userCodeHash(tenantId: TenantId, userCode: string): Buffer {
    return createHmac('sha256', this.#userCodes).update(`${tenantId} ${userCode}`).digest();
  }

  async seal({ tenant_id, subject_hash, ...approval }: DeviceApproval): Promise<string> {
    return await new EncryptJWT({ approval: { ...approval, subject_hash: subject_hash.toString('hex') } })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setAudience(`${PURPOSE} ${tenant_id}`)
      .encrypt(this.#approvals);
  }

  async open(tenant_id: TenantId, sealed: string): Promise<DeviceApproval> {
    const { payload } = await jwtDecrypt(sealed, this.#approvals, {
      audience: `${PURPOSE} ${tenant_id}`,
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
    });
    const { subject_hash, identity, groups = [], ...approval } = parseMessage(Sealed, payload['approval']);
    const agent_id = identity.agent_id as AgentId | null;
    return {
      ...approval,
      groups,
      tenant_id,
      identity: { ...identity, agent_id },
      subject_hash: Buffer.from(subject_hash, 'hex'),
    };
  }

  #codeOf(text: string): string {
    return createHmac('sha256', this.#codes).update(text).digest('base64url');
  }
}

/**
 * A code as a person typed it, in its usual form; null for what is none. Case, spaces and hyphens make no difference
 * (RFC 8628 §6.1).
 */
export function readUserCode(text: string): string | null {
  const letters = text.replaceAll(/[\s-]/g, '').toUpperCase();
  return letters.length === LETTERS_COUNT && [...letters].every((letter) => LETTERS.includes(letter))
    ? shownCode(letters)
    : null;
}

const shownCode = (letters: string): string =>
  `${letters.slice(0, LETTERS_COUNT / 2)}-${letters.slice(LETTERS_COUNT / 2)}`;
const hashOf = (text: string): Buffer => Buffer.from(sha256(Buffer.from(text, 'utf8')));
