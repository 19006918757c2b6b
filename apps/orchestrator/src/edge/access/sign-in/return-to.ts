// SPDX-License-Identifier: Apache-2.0
// Where a person goes after a sign-in. INVARIANT (this site alone): only a path below the public URL that begins with
// one of a list, in characters that no browser reads as the beginning of another address.

/** What has pages for people. */
const PLACES = ['/sign-in', '/docs', '/console'];
const PATH = /^\/[A-Za-z0-9/._~-]*(?:\?[A-Za-z0-9=&._~-]*)?$/;
/** With the rest of an attempt, it fits into a cookie. */
const CHARS_MAX = 256;
/** Says who is signed in. */
export const SIGN_IN_PATH = '/sign-in';
/** Where a person approves a program. */
export const DEVICE_PATH = `${SIGN_IN_PATH}/device`;
/** Where a person enters an API key. */
export const KEY_PATH = `${SIGN_IN_PATH}/key`;

/** The path that a request names, which is attacker-controlled; the page of the sign-in for anything else. */
export function readReturnTo(text: string | null): string {
  if (text === null || text.length > CHARS_MAX || !PATH.test(text) || text.includes('//')) return SIGN_IN_PATH;
  const [path = ''] = text.split('?', 1);
  if (path.split('/').some((part) => part === '.' || part === '..')) return SIGN_IN_PATH;
  return PLACES.some((place) => path === place || path.startsWith(`${place}/`)) ? text : SIGN_IN_PATH;
}
