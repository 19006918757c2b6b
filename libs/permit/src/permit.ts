// SPDX-License-Identifier: Apache-2.0
//
// The kernel's signed order for one (operation, attempt, mode). Executors run nothing without one.
// INVARIANT (own type): a permit is signed as a permit. No other statement that the kernel's key signed opens as one.
// INVARIANT (whole or nothing): every defect of a permit is the same fault, so that a forger learns nothing.
import { Fault, LIMITS, parseMessage, Permit, PERMIT_PAYLOAD_TYPE, type Envelope } from '@writ/contract';
import { canonicalBytes, parseIJson } from '@writ/digest';
import { sealEnvelope, verifyEnvelope, type Signer, type Verifier } from '@writ/signing';

/**
 * Bound on the difference between an executor's clock and the database's, in milliseconds. NTP stays far below it, and
 * it is small beside a permit's life.
 */
export const PERMIT_SKEW_MS = 5_000;

/** A permit is an object of scalars: one level. */
const PERMIT_DEPTH_MAX = 1;

/**
 * Signs a permit. Its payload is RFC 8785 JSON.
 * @throws Fault `permit.invalid` if it isn't a permit or the envelope has more than 4 KiB.
 */
export function sealPermit(permit: Permit, signer: Signer): Envelope {
  const envelope = sealEnvelope(PERMIT_PAYLOAD_TYPE, canonicalBytes(parsePermit(permit)), signer);
  if (sizeOf(envelope) > LIMITS.permitBytes.max) throw new Fault('permit.invalid', 'the permit is larger than allowed');
  return envelope;
}

/**
 * Returns the permit of an attacker-controlled envelope if one of the keys signed it, at any time. It is for the
 * kernel, which compares times with its database's clock. All others call `verifyPermit`.
 *
 * @throws Fault `permit.invalid`
 */
export function openPermit(envelope: unknown, verifiersByKeyid: ReadonlyMap<string, Verifier>): Permit {
  // The size is checked before decoding, so that an oversized envelope costs nothing more.
  if (sizeOf(envelope) > LIMITS.permitBytes.max) throw new Fault('permit.invalid');
  let value: unknown;
  try {
    value = parseIJson(verifyEnvelope(envelope, verifiersByKeyid, PERMIT_PAYLOAD_TYPE), { depthMax: PERMIT_DEPTH_MAX });
  } catch (cause) {
    throw new Fault('permit.invalid', undefined, { cause });
  }
  return parsePermit(value);
}

/**
 * Returns the permit if it is signed and may be redeemed at `now`, in milliseconds since the epoch, give or take
 * `skewMs`.
 *
 * @throws Fault `permit.invalid`, also for one from the future; `permit.expired`
 */
export function verifyPermit(
  envelope: unknown,
  verifiersByKeyid: ReadonlyMap<string, Verifier>,
  now: number,
  skewMs: number = PERMIT_SKEW_MS,
): Permit {
  const permit = openPermit(envelope, verifiersByKeyid);
  // Written so that NaN refuses.
  if (!(permit.issued_at - skewMs <= now)) throw new Fault('permit.invalid');
  if (!(now <= permit.expires_at + skewMs)) throw new Fault('permit.expired');
  return permit;
}

function parsePermit(value: unknown): Permit {
  let permit: Permit;
  try {
    permit = parseMessage(Permit, value);
  } catch (cause) {
    throw new Fault('permit.invalid', undefined, { cause });
  }
  if (permit.expires_at <= permit.issued_at) throw new Fault('permit.invalid');
  return permit;
}

const sizeOf = (envelope: unknown): number => Buffer.byteLength(JSON.stringify(envelope) ?? '');
