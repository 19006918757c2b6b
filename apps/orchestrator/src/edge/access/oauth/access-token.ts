// SPDX-License-Identifier: Apache-2.0
// Verifies OAuth access tokens: JWTs by RFC 9068. A token is attacker-controlled until its signature is verified, and
// its claims are the issuer's statements after that.
//
// What is verified: the form and the length; `typ` `at+jwt`; an algorithm of ALGORITHMS; a `kid` that the issuer
// lists; the signature; `iss`, exactly; `aud`, which contains an identifier of this deployment; `exp`, `nbf` and `iat`;
// that `sub`, `client_id` and `jti` are there; and that the token is no sender-constrained one, since the proof that
// such a token needs isn't checked here.
import { Fault } from '@writ/contract';
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify, type JWTPayload } from 'jose';
import type { IssuerKeys } from './issuer-keys.ts';

/** RFC 9068 §2.1: so that no other JWT of the issuer is taken for an access token. */
const TYP = 'at+jwt';
/** Longest token in characters: with its headers, a request fits into the 16 KiB that HTTP servers accept. */
export const TOKEN_CHARS_MAX = 8_192;
/** Only signatures with public keys: with a shared secret, whoever verifies could also issue. */
export const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
/** How far the clocks of issuers may differ from this one, in seconds. */
const CLOCK_TOLERANCE_S = 5;
/** Longest value of `sub`, `jti` and `client_id`, in characters; OpenID Connect allows 255 of `sub`. */
const CLAIM_CHARS_MAX = 255;

/** A verified token. */
export interface AccessToken {
  readonly issuer: string;
  readonly subject: string;
  readonly clientId: string;
  readonly jti: string;
  /** each an identifier of a resource that the token is good for */
  readonly audiences: readonly string[];
  readonly scopes: readonly string[];
  /** milliseconds since the epoch; the token is not good from then on */
  readonly expiresAt: number;
  readonly claims: Readonly<JWTPayload>;
}

/** Whether a text has the form of a signed JWT, so that other texts are not parsed. */
export const isJwtText = (text: string): boolean =>
  text.length <= TOKEN_CHARS_MAX && /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/.test(text);

/** The issuer that a token names, before anything is verified. Fault `auth.invalid` where it names none. */
export function claimedIssuerOf(token: string): string {
  try {
    const { iss } = decodeJwt(token);
    if (typeof iss === 'string' && iss !== '') return iss;
  } catch (cause) {
    throw new Fault('auth.invalid', 'the access token is no JWT', { cause });
  }
  throw new Fault('auth.invalid', 'the access token names no issuer (`iss`)');
}

/**
 * Verifies a token of `issuer`.
 * @param audiences the identifiers of this deployment, one of which the token must name
 * @param now milliseconds since the epoch
 * @throws Fault `auth.invalid` with the reason, `auth.issuer_unavailable`
 */
export async function verifyAccessToken(
  token: string,
  issuer: string,
  audiences: readonly string[],
  keys: IssuerKeys,
  now: number,
): Promise<AccessToken> {
  const kid = kidOf(token);
  const set = await keys.keysOf(issuer, kid);
  const claims = await verifiedClaims(token, issuer, audiences, set, now);
  if (claims['cnf'] !== undefined) throw invalid('it is bound to a key of its sender (`cnf`), which is not supported');
  if (claims.iat !== undefined && claims.iat * 1_000 > now + CLOCK_TOLERANCE_S * 1_000)
    throw invalid('it was issued in the future (`iat`)');
  return {
    issuer,
    subject: textOf(claims, 'sub'),
    clientId: textOf(claims, 'client_id'),
    jti: textOf(claims, 'jti'),
    audiences: Array.isArray(claims.aud) ? claims.aud : [claims.aud as string],
    scopes: scopesOf(claims),
    expiresAt: (claims.exp as number) * 1_000,
    claims,
  };
}

async function verifiedClaims(
  token: string,
  issuer: string,
  audiences: readonly string[],
  keys: Parameters<typeof jwtVerify>[1],
  now: number,
): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, keys as never, {
      issuer,
      audience: [...audiences],
      typ: TYP,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: new Date(now),
      requiredClaims: ['exp', 'iat', 'sub', 'client_id', 'jti'],
    });
    return payload;
  } catch (cause) {
    throw new Fault('auth.invalid', `the access token is not valid: ${reasonOf(cause)}`, { cause });
  }
}

/** The key's id. INVARIANT (one key): without it, a token could match any key of its issuer. */
function kidOf(token: string): string {
  try {
    const { kid, crit } = decodeProtectedHeader(token);
    if (crit !== undefined) throw invalid('its header has `crit`');
    if (typeof kid === 'string' && kid !== '') return kid;
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault('auth.invalid', 'the access token has no readable header', { cause: error });
  }
  throw invalid('its header names no key (`kid`)');
}

function textOf(claims: JWTPayload, name: string): string {
  const value = claims[name];
  if (typeof value !== 'string' || value === '' || value.length > CLAIM_CHARS_MAX)
    throw invalid(`\`${name}\` must be a text of 1 to ${CLAIM_CHARS_MAX} characters`);
  return value;
}

/** RFC 6749 §3.3: names with spaces between. */
function scopesOf({ scope }: JWTPayload): string[] {
  if (scope === undefined) return [];
  if (typeof scope !== 'string') throw invalid('`scope` must be one text, with spaces between the names');
  return scope.split(' ').filter((name) => name !== '');
}

const invalid = (why: string): Fault => new Fault('auth.invalid', `the access token is not valid: ${why}`);

/** Says which check failed, and never a value of the token. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'it has expired (`exp`)';
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'typ')
    return `its \`typ\` must be \`${TYP}\`: the issuer must issue access tokens by RFC 9068`;
  if (error instanceof errors.JWTClaimValidationFailed) return `its \`${error.claim}\` is not as required`;
  if (error instanceof errors.JOSEAlgNotAllowed)
    return `its algorithm (\`alg\`) must be one of ${ALGORITHMS.join(', ')}`;
  if (error instanceof errors.JWKSNoMatchingKey) return 'its issuer lists no such key (`kid`, `alg`)';
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'its issuer lists several such keys (`kid`)';
  return 'its signature or its form is wrong';
}
