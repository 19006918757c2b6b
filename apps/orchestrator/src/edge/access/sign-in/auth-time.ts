// SPDX-License-Identifier: Apache-2.0
// How long ago a person proved to the issuer who they are. An issuer that knows a browser sends it back at once, with
// nobody at it. So the time of an answer tells nothing about a person: `auth_time` does (OpenID Connect Core §2).
import type { JWTPayload } from 'jose';
import { SignInRefused } from './sign-in-refused.ts';

/** How far the clocks of two hosts differ. */
const TOLERANCE_MS = 5_000;

/**
 * Milliseconds since then; null where the ID token doesn't tell, and wasn't asked to.
 * @param claims of the verified ID token
 * @param maxAgeS what the issuer was asked for as `max_age`, in seconds; undefined: nothing
 * @param now milliseconds since the epoch
 * @throws SignInRefused where it was asked, and doesn't tell, or it is longer ago
 */
export function sinceAuthentication(claims: JWTPayload, maxAgeS: number | undefined, now: number): number | null {
  const at = claims['auth_time'];
  const since = typeof at === 'number' && Number.isFinite(at) ? Math.floor(now - at * 1_000) : NaN;
  const isTold = since >= -TOLERANCE_MS;
  if (maxAgeS === undefined) return isTold ? Math.max(0, since) : null;
  if (!isTold)
    throw new SignInRefused(
      'To approve a program you must have signed in just now, and your identity provider does not say when you did (`auth_time`).',
      'auth_time',
    );
  if (since > maxAgeS * 1_000 + TOLERANCE_MS)
    throw new SignInRefused(
      'To approve a program you must have signed in just now, and your identity provider did not ask who you are (`max_age`). Sign out there first.',
      'max_age',
    );
  return Math.max(0, since);
}
