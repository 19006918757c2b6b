// SPDX-License-Identifier: Apache-2.0
//
// What a record of kind `key` says: that a key which signs for logs came, went, or was given up. It stands in the
// record's `change`, which every version reads, as `<purpose>.<keyid>.<public key>.<from>`: so key records need no
// member of their own, and a verifier that doesn't know them verifies them like any other record.
import type { AuditRecord } from '@writ/contract';
import { keyidOf } from '@writ/signing';

/** Purposes of keys whose comings and goings concern who verifies. */
export const LOGGED_PURPOSES = ['record', 'checkpoint'] as const;
/**
 * `introduced` before it signs; `retired` as its successor begins; `revoked` once nothing more by it comes into a log.
 */
export const KEY_EVENTS = ['introduced', 'retired', 'revoked'] as const;

/** What became of a key. */
export interface KeyEvent {
  readonly event: (typeof KEY_EVENTS)[number];
  readonly purpose: (typeof LOGGED_PURPOSES)[number];
  /** RFC 7638 thumbprint of the public key */
  readonly keyid: string;
  /** the public key, as `x` of its JWK (RFC 8037 §2) */
  readonly x: string;
  /** milliseconds since the epoch: from when on it signs, doesn't any more, or nobody answers for what it signed */
  readonly from: number;
}

const SUBJECT = /^([a-z]+)\.([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{43})\.(0|[1-9][0-9]{0,15})$/;
const VERB = /^key_([a-z]+)$/;

/** The `change` of the record of a key's event. */
export function formatKeyEvent({ event, purpose, keyid, x, from }: KeyEvent): NonNullable<AuditRecord['change']> {
  return { verb: `key_${event}`, subject: `${purpose}.${keyid}.${x}.${String(from)}`, digest: null };
}

/**
 * What a record says of a key; null for one of another kind, for an event that this version doesn't know, and for an id
 * that isn't the key's.
 */
export function keyEventOf({ kind, change }: Pick<AuditRecord, 'kind' | 'change'>): KeyEvent | null {
  if (kind !== 'key' || change === null) return null;
  const event = KEY_EVENTS.find((known) => known === VERB.exec(change.verb)?.[1]);
  const [, said, keyid = '', x = '', from] = SUBJECT.exec(change.subject) ?? [];
  const purpose = LOGGED_PURPOSES.find((known) => known === said);
  if (event === undefined || purpose === undefined || keyidOf({ kty: 'OKP', crv: 'Ed25519', x }) !== keyid) return null;
  return { event, purpose, keyid, x, from: Number(from) };
}
