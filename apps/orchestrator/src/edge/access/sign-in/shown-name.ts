// SPDX-License-Identifier: Apache-2.0
import type { JWTPayload } from 'jose';

/** A line of a page. */
const CHARS_MAX = 120;
/** Controls, format characters (among them those that change the direction of text), and separators of lines. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu;

/**
 * How a page calls a person, by the claims of an ID token: the address, the name, or the subject. It decides nothing.
 * Characters that nobody sees are left out, so that a name can't pretend to be more text of the page.
 */
export function shownNameOf(claims: JWTPayload): string {
  const { email_verified: isVerified = true } = claims;
  const mail = isVerified === true || isVerified === 'true' ? claims['email'] : undefined;
  const found = [mail, claims['preferred_username'], claims['name'], claims.sub]
    .map((value) => (typeof value === 'string' ? value.replaceAll(UNSEEN, '').trim() : ''))
    .find((text) => text !== '');
  const characters = [...(found ?? 'somebody')];
  return characters.length > CHARS_MAX ? `${characters.slice(0, CHARS_MAX).join('')}…` : characters.join('');
}
