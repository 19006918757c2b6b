// SPDX-License-Identifier: Apache-2.0
//
// DSSE v1 (https://github.com/secure-systems-lab/dsse): signs a payload together with its type. INVARIANT (type bound): what was signed as a
// permit can't be read as a record. INVARIANT (one signature): Writ's envelopes carry exactly one, so no part of one goes unchecked.
import { decodeBase64, encodeBase64 } from './base64.ts';
import type { Signer, Verifier } from './keys.ts';
import { SignatureError } from './signature-error.ts';

export interface Envelope {
  payloadType: string;
  /** Base64. */
  payload: string;
  signatures: { keyid: string; sig: string }[];
}

/** The bytes that are signed: DSSE's pre-authentication encoding. */
export function pae(payloadType: string, payload: Uint8Array): Uint8Array {
  const type = Buffer.from(payloadType, 'utf8');
  const head = `DSSEv1 ${String(type.length)} ${payloadType} ${String(payload.length)} `;
  return new Uint8Array(Buffer.concat([Buffer.from(head, 'utf8'), payload]));
}

/** Signs a payload. The payload's bytes are carried as they are; nobody serialises them again. */
export function sealEnvelope(payloadType: string, payloadBytes: Uint8Array, signer: Signer): Envelope {
  const sig = encodeBase64(signer.sign(pae(payloadType, payloadBytes)));
  return { payloadType, payload: encodeBase64(payloadBytes), signatures: [{ keyid: signer.keyid, sig }] };
}

/**
 * Reads an envelope of exactly these members, and exactly one signature.
 *
 * @throws SignatureError `malformed_envelope`
 */
export function parseEnvelope(value: unknown): Envelope {
  const { payloadType, payload, signatures } = membersOf(value, ['payloadType', 'payload', 'signatures']);
  if (typeof payloadType !== 'string' || typeof payload !== 'string' || !Array.isArray(signatures) || signatures.length !== 1) {
    throw new SignatureError('malformed_envelope');
  }
  const { keyid, sig } = membersOf(signatures[0], ['keyid', 'sig']);
  if (typeof keyid !== 'string' || typeof sig !== 'string') throw new SignatureError('malformed_envelope');
  return { payloadType, payload, signatures: [{ keyid, sig }] };
}

/**
 * Verifies an attacker-controlled envelope and returns the payload that was signed. Read the payload from what this returns and from nowhere
 * else.
 *
 * @throws SignatureError `malformed_envelope`, `wrong_payload_type`, `unknown_key` or `bad_signature`
 */
export function verifyEnvelope(envelope: unknown, verifiersByKeyid: ReadonlyMap<string, Verifier>, expectedPayloadType: string): Uint8Array {
  const { payloadType, payload, signatures: [signature] } = parseEnvelope(envelope);
  if (payloadType !== expectedPayloadType) throw new SignatureError('wrong_payload_type');
  const { keyid, sig } = signature as Envelope['signatures'][number];
  const verifier = verifiersByKeyid.get(keyid);
  if (verifier === undefined) throw new SignatureError('unknown_key');
  const payloadBytes = decodeBase64(payload, 'malformed_envelope');
  verifier.verify(pae(payloadType, payloadBytes), decodeBase64(sig, 'malformed_envelope'));
  return payloadBytes;
}

/** The members of an object that has exactly these. */
function membersOf<K extends string>(value: unknown, keys: readonly K[]): Record<K, unknown> {
  const isExact = typeof value === 'object' && value !== null
    && Object.keys(value).length === keys.length && keys.every((key) => Object.hasOwn(value, key));
  if (!isExact) throw new SignatureError('malformed_envelope');
  return value as Record<K, unknown>;
}
