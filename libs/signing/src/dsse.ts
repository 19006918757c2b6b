// SPDX-License-Identifier: Apache-2.0
//
// DSSE v1 (https://github.com/secure-systems-lab/dsse): signs a payload together with its type. INVARIANT (type bound):
// an envelope signed as a permit can't be read as a record. INVARIANT (one signature): Writ's envelopes have exactly
// one, so every part of one is verified.
import { concatBytes, utf8Bytes } from '@writ/digest';
import { decodeBase64, encodeBase64 } from './base64/base64.ts';
import type { Signer, Verifier } from './keys.ts';
import { SignatureError } from './signature-error.ts';

export interface Envelope {
  payloadType: string;
  /** Base64. */
  payload: string;
  signatures: { keyid: string; sig: string }[];
}

/** The signed bytes: DSSE's pre-authentication encoding. */
export function pae(payloadType: string, payload: Uint8Array): Uint8Array {
  const head = utf8Bytes(`DSSEv1 ${String(utf8Bytes(payloadType).length)} ${payloadType} ${String(payload.length)} `);
  return concatBytes([head, payload]);
}

/** Signs a payload. The payload's bytes are kept unchanged and never serialised again. */
export function sealEnvelope(payloadType: string, payloadBytes: Uint8Array, signer: Signer): Envelope {
  const sig = encodeBase64(signer.sign(pae(payloadType, payloadBytes)));
  return { payloadType, payload: encodeBase64(payloadBytes), signatures: [{ keyid: signer.keyid, sig }] };
}

/**
 * Parses an envelope with exactly these members, and exactly one signature.
 *
 * @throws SignatureError `malformed_envelope`
 */
export function parseEnvelope(value: unknown): Envelope {
  const { payloadType, payload, signatures } = membersOf(value, ['payloadType', 'payload', 'signatures']);
  if (
    typeof payloadType !== 'string' ||
    typeof payload !== 'string' ||
    !Array.isArray(signatures) ||
    signatures.length !== 1
  ) {
    throw new SignatureError('malformed_envelope');
  }
  const { keyid, sig } = membersOf(signatures[0], ['keyid', 'sig']);
  if (typeof keyid !== 'string' || typeof sig !== 'string') throw new SignatureError('malformed_envelope');
  return { payloadType, payload, signatures: [{ keyid, sig }] };
}

/**
 * Verifies an attacker-controlled envelope and returns the signed payload. Callers MUST use only this payload.
 *
 * @throws SignatureError `malformed_envelope`, `wrong_payload_type`, `unknown_key` or `bad_signature`
 */
export function verifyEnvelope(
  envelope: unknown,
  verifiersByKeyid: ReadonlyMap<string, Verifier>,
  expectedPayloadType: string,
): Uint8Array {
  const { payload, signed, signature, verifier } = openEnvelope(envelope, verifiersByKeyid, expectedPayloadType);
  verifier.verify(signed, signature);
  return payload;
}

/** `verifyEnvelope` with the signature verified on another thread. Rejects as that throws. */
export async function verifyEnvelopeOnThread(
  envelope: unknown,
  verifiersByKeyid: ReadonlyMap<string, Verifier>,
  expectedPayloadType: string,
): Promise<Uint8Array> {
  const { payload, signed, signature, verifier } = openEnvelope(envelope, verifiersByKeyid, expectedPayloadType);
  await verifier.verifyOnThread(signed, signature);
  return payload;
}

/** A parsed envelope that is not verified: nothing in it is trusted. */
interface Unverified {
  readonly payload: Uint8Array;
  /** the bytes that the signature must be over */
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
  readonly verifier: Verifier;
}

function openEnvelope(
  envelope: unknown,
  verifiersByKeyid: ReadonlyMap<string, Verifier>,
  expectedPayloadType: string,
): Unverified {
  const {
    payloadType,
    payload: text,
    signatures: [signature],
  } = parseEnvelope(envelope);
  if (payloadType !== expectedPayloadType) throw new SignatureError('wrong_payload_type');
  const { keyid, sig } = signature as Envelope['signatures'][number];
  const verifier = verifiersByKeyid.get(keyid);
  if (verifier === undefined) throw new SignatureError('unknown_key');
  const payload = decodeBase64(text, 'malformed_envelope');
  return { payload, signed: pae(payloadType, payload), signature: decodeBase64(sig, 'malformed_envelope'), verifier };
}

/** The members of an object with exactly these keys. */
function membersOf<K extends string>(value: unknown, keys: readonly K[]): Record<K, unknown> {
  const isExact =
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).length === keys.length &&
    keys.every((key) => Object.hasOwn(value, key));
  if (!isExact) throw new SignatureError('malformed_envelope');
  return value as Record<K, unknown>;
}
