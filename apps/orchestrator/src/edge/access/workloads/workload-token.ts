// SPDX-License-Identifier: Apache-2.0
// Verifies projected service-account tokens of Kubernetes. A token is attacker-controlled until its signature is
// verified, and its claims are the cluster's statements after that.
//
// What is verified: the form and the length; `typ`, which is absent or `JWT`; an algorithm of ALGORITHMS; a `kid` that
// the registration or the cluster lists; the signature; `iss`, exactly; `aud`, which is this deployment and nothing
// else; `exp`, `nbf` and `iat`, at most an hour apart; `sub`, which names a service account; and that the claim
// `kubernetes.io` names the same one. So no access token, ID token or logout token passes, whoever signed it.
import { Fault } from '@writ/contract';
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify, type JWTPayload, type LocalJWKSet } from 'jose';
import { ALGORITHMS } from '../oauth/access-token.ts';

/** How far the clocks of clusters may differ from this one, in seconds. */
const CLOCK_TOLERANCE_S = 5;
/** Longest life of a token, in seconds: a kubelet renews it long before, and whoever steals one has it no longer. */
const LIFE_S_MAX = 3_600;
/** Longest `jti`, in characters. */
const JTI_CHARS_MAX = 255;
/** The only `typ` beside none: clusters write none. */
const TYP = 'JWT';
/** The claim that only service accounts of Kubernetes have. */
const OF_KUBERNETES = 'kubernetes.io';

/** A namespace and a name: RFC 1123 labels, and subdomains. With the prefix it has 255 characters at most. */
const SUBJECT =
  /^system:serviceaccount:([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?):([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)$/;
export const SUBJECT_CHARS_MAX = 255;

/** A verified token. */
export interface WorkloadToken {
  readonly issuer: string;
  /** `system:serviceaccount:NAMESPACE:NAME` */
  readonly subject: string;
  /** empty: the cluster writes none */
  readonly jti: string;
  /** milliseconds since the epoch; the token is not good from then on */
  readonly expiresAt: number;
}

/** Whether a text names a service account as `sub` does. */
export const isServiceAccountSubject = (text: string): boolean =>
  text.length <= SUBJECT_CHARS_MAX && SUBJECT.test(text);

/** What a token says of itself, before anything is verified. Fault `auth.invalid`. */
export function claimedBy(token: string): { readonly subject: string; readonly kid: string } {
  try {
    const { kid, crit } = decodeProtectedHeader(token);
    const { sub } = decodeJwt(token);
    if (crit !== undefined) throw invalid('its header has `crit`');
    // INVARIANT (one key): without its id, a token could match any key of its issuer.
    if (typeof kid !== 'string' || kid === '') throw invalid('its header names no key (`kid`)');
    return { subject: typeof sub === 'string' ? sub : '', kid };
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault('auth.invalid', 'the workload token has no readable header', { cause: error });
  }
}

/**
 * Verifies a token of `issuer`.
 * @param audience this deployment
 * @param now milliseconds since the epoch
 * @throws Fault `auth.invalid` with the reason
 */
export async function verifyWorkloadToken(
  token: string,
  { issuer, audience, keys, now }: { issuer: string; audience: string; keys: LocalJWKSet; now: number },
): Promise<WorkloadToken> {
  const { payload, typ } = await verified(token, { issuer, audience, keys, now });
  if (typ !== undefined && typ !== TYP) throw invalid(`its \`typ\` must be absent or \`${TYP}\``);
  verifyAudience(payload, audience);
  const { exp, iat, sub, jti = '' } = payload as JWTPayload & { exp: number; iat: number };
  if (iat > now / 1_000 + CLOCK_TOLERANCE_S) throw invalid('it was issued in the future (`iat`)');
  if (exp - iat > LIFE_S_MAX) throw invalid('it lives for more than an hour: set `expirationSeconds` to 3600 or less');
  if (payload['cnf'] !== undefined) throw invalid('it is bound to a key of its sender (`cnf`)');
  if (typeof jti !== 'string' || jti.length > JTI_CHARS_MAX) throw invalid('its `jti` is no text, or too long');
  return { issuer, subject: subjectOf(sub, payload[OF_KUBERNETES]), jti, expiresAt: exp * 1_000 };
}

/** INVARIANT (exact): a token that is good at another place too, such as the cluster's own API, is not good here. */
function verifyAudience({ aud }: JWTPayload, audience: string): void {
  const [only, ...others] = Array.isArray(aud) ? aud : [aud];
  if (only !== audience || others.length > 0)
    throw invalid(`its \`aud\` must be \`${audience}\` alone: set \`audience\` of the projected token`);
}

/** The service account, which both claims name. */
function subjectOf(sub: unknown, of: unknown): string {
  const [subject, namespace, name] = typeof sub === 'string' && isServiceAccountSubject(sub) ? partsOf(sub) : [];
  if (subject === undefined) throw invalid('its `sub` names no service account');
  if (namespace !== memberOf(of, 'namespace') || name !== memberOf(memberOf(of, 'serviceaccount'), 'name'))
    throw invalid(`its claim \`${OF_KUBERNETES}\` is missing, or names another service account than \`sub\``);
  return subject;
}

const partsOf = (subject: string): readonly (string | undefined)[] => SUBJECT.exec(subject) ?? [];

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;

async function verified(
  token: string,
  { issuer, audience, keys, now }: { issuer: string; audience: string; keys: LocalJWKSet; now: number },
): Promise<{ readonly payload: JWTPayload; readonly typ: unknown }> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: new Date(now),
      requiredClaims: ['exp', 'iat', 'sub'],
    });
    return { payload, typ: protectedHeader.typ };
  } catch (cause) {
    throw new Fault('auth.invalid', `the workload token is not valid: ${reasonOf(cause)}`, { cause });
  }
}

const invalid = (why: string): Fault => new Fault('auth.invalid', `the workload token is not valid: ${why}`);

/** Says which check failed, and never a value of the token. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'it has expired (`exp`)';
  if (error instanceof errors.JWTClaimValidationFailed) return `its \`${error.claim}\` is not as required`;
  if (error instanceof errors.JOSEAlgNotAllowed)
    return `its algorithm (\`alg\`) must be one of ${ALGORITHMS.join(', ')}`;
  if (error instanceof errors.JWKSNoMatchingKey) return 'the cluster lists no such key (`kid`, `alg`)';
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'the cluster lists several such keys (`kid`)';
  return 'its signature or its form is wrong';
}
