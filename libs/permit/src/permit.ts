// SPDX-License-Identifier: Apache-2.0
//
// The kernel's signed order for one (operation, attempt, mode). Executors run nothing without one, and neither does a
// process of a tenant that runs calls (ADR 0136).
// INVARIANT (own type): a permit is signed as a permit. No other statement that the kernel's key signed opens as one.
// INVARIANT (whole or nothing): every defect of a permit is the same fault, so that a forger learns nothing.
import {
  Fault,
  FUNCTION_PERMIT_PAYLOAD_TYPE,
  FunctionPermit,
  LIMITS,
  parseMessage,
  Permit,
  PERMIT_PAYLOAD_TYPE,
  type Envelope,
} from '@writ/contract';
import { canonicalBytes, parseIJson } from '@writ/digest';
import { sealEnvelope, verifyEnvelope, type Signer, type Verifier } from '@writ/signing';
import type { Static } from 'typebox';

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
  return sealAs(PERMIT_PAYLOAD_TYPE, parsePermit(Permit, permit), signer);
}

/**
 * Signs a permit for a process of a tenant. INVARIANT (own type): no executor of ours takes it for its own, and no
 * tenant's process takes ours.
 * @throws Fault `permit.invalid` if it isn't one
 */
export function sealFunctionPermit(permit: FunctionPermit, signer: Signer): Envelope {
  return sealAs(FUNCTION_PERMIT_PAYLOAD_TYPE, parsePermit(FunctionPermit, permit), signer);
}

/**
 * Returns the permit of an attacker-controlled envelope if one of the keys signed it, at any time. It is for the
 * kernel, which compares times with its database's clock. All others call `verifyPermit`.
 *
 * @throws Fault `permit.invalid`
 */
export function openPermit(envelope: unknown, verifiersByKeyid: ReadonlyMap<string, Verifier>): Permit {
  return parsePermit(Permit, openAs(PERMIT_PAYLOAD_TYPE, envelope, verifiersByKeyid));
}

/**
 * Returns the permit for a process of a tenant of an attacker-controlled envelope, as `openPermit` does. Callers MUST
 * compare the credential that it names with the one that presents it.
 *
 * @throws Fault `permit.invalid`
 */
export function openFunctionPermit(envelope: unknown, verifiersByKeyid: ReadonlyMap<string, Verifier>): FunctionPermit {
  return parsePermit(FunctionPermit, openAs(FUNCTION_PERMIT_PAYLOAD_TYPE, envelope, verifiersByKeyid));
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

function sealAs(payloadType: string, permit: Permit | FunctionPermit, signer: Signer): Envelope {
  const envelope = sealEnvelope(payloadType, canonicalBytes(permit), signer);
  if (sizeOf(envelope) > LIMITS.permitBytes.max) throw new Fault('permit.invalid', 'the permit is larger than allowed');
  return envelope;
}

function openAs(payloadType: string, envelope: unknown, verifiersByKeyid: ReadonlyMap<string, Verifier>): unknown {
  // The size is checked before decoding, so that an oversized envelope costs nothing more.
  if (sizeOf(envelope) > LIMITS.permitBytes.max) throw new Fault('permit.invalid');
  try {
    return parseIJson(verifyEnvelope(envelope, verifiersByKeyid, payloadType), { depthMax: PERMIT_DEPTH_MAX });
  } catch (cause) {
    throw new Fault('permit.invalid', undefined, { cause });
  }
}

function parsePermit<S extends typeof Permit | typeof FunctionPermit>(schema: S, value: unknown): Static<S> {
  let permit: Permit | FunctionPermit;
  try {
    permit = parseMessage(schema, value);
  } catch (cause) {
    throw new Fault('permit.invalid', undefined, { cause });
  }
  if (permit.expires_at <= permit.issued_at) throw new Fault('permit.invalid');
  return permit as Static<S>;
}

const sizeOf = (envelope: unknown): number => Buffer.byteLength(JSON.stringify(envelope) ?? '');
