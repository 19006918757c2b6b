// SPDX-License-Identifier: Apache-2.0
import type { JWTPayload } from 'jose';

/**
 * An e-mail address of printable ASCII characters. Letters of other scripts look like these, so that an address with
 * them could be read as another one.
 */
export const ADDRESS = '^[!-?A-~]{1,64}@[!-?A-~]{1,190}$';
const PATTERN = new RegExp(ADDRESS);

/** As addresses are compared: only ASCII letters change. */
export const lowerAddress = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/**
 * The address that the issuer says it has verified. INVARIANT (verified alone): an issuer that leaves `email_verified`
 * out has verified nothing.
 */
export function verifiedAddressOf({ email, email_verified: isVerified }: Readonly<JWTPayload>): string | null {
  if (isVerified !== true && isVerified !== 'true') return null;
  return typeof email === 'string' && PATTERN.test(email) ? lowerAddress(email) : null;
}
