// SPDX-License-Identifier: Apache-2.0
//
// A record of kind `key` states that a key for logs was introduced, retired or revoked. The statement is in the
// record's `change`, which every version reads, as `<purpose>.<keyid>.<public key>.<from>`. So key records need no
// member of their own, and a verifier without support for them verifies them like any other record.
import type { AuditRecord } from '@writ/contract';
import { keyidOf } from '@writ/signing';

/** Purposes of the keys whose events matter to verifiers. */
export const LOGGED_PURPOSES = ['record', 'checkpoint'] as const;
/**
 * `introduced` before it signs; `retired` as its successor begins; `revoked` once the log accepts nothing more by it.
 */
export const KEY_EVENTS = ['introduced', 'retired', 'revoked'] as const;

/** An event of a key. */
export interface KeyEvent {
  readonly event: (typeof KEY_EVENTS)[number];
  readonly purpose: (typeof LOGGED_PURPOSES)[number];
  /** RFC 7638 thumbprint of the public key */
  readonly keyid: string;
  /** the public key, as `x` of its JWK (RFC 8037 §2) */
  readonly x: string;
  /** milliseconds since the epoch, from when it signs, no longer signs, or is not trusted any more */
  readonly from: number;
}

const SUBJECT = /^([a-z]+)\.([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{43})\.(0|[1-9][0-9]{0,15})$/;
const VERB = /^key_([a-z]+)$/;

/** The `change` of the record for a key's event. */
export function formatKeyEvent({ event, purpose, keyid, x, from }: KeyEvent): NonNullable<AuditRecord['change']> {
  return { verb: `key_${event}`, subject: `${purpose}.${keyid}.${x}.${String(from)}`, digest: null };
}

/**
 * The event of a key in a record. Null for a record of another kind, for an event unknown to this version, and for an
 * id that isn't the key's.
 */
export function keyEventOf({ kind, change }: Pick<AuditRecord, 'kind' | 'change'>): KeyEvent | null {
  if (kind !== 'key' || change === null) return null;
  const event = KEY_EVENTS.find((known) => known === VERB.exec(change.verb)?.[1]);
  const [, purposeText, keyid = '', x = '', from] = SUBJECT.exec(change.subject) ?? [];
  const purpose = LOGGED_PURPOSES.find((known) => known === purposeText);
  if (event === undefined || purpose === undefined || keyidOf({ kty: 'OKP', crv: 'Ed25519', x }) !== keyid) return null;
  return { event, purpose, keyid, x, from: Number(from) };
}
