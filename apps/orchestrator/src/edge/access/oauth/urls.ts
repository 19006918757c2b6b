// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { hostOf } from '../../outbound/allowed-hosts.ts';

const URL_MAX = 512;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether a host, as a URL has it, is this machine alone. */
export const isLoopback = (hostname: string): boolean => LOOPBACK.test(hostname);

/** Reads the public URL of the API. Throws on one that has more than a path, or isn't `https` except on loopback. */
export function publicUrl(text: string): string {
  const url = plainUrl(text);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname)))
    throw new Error('it must begin with `https://`');
  if (text.endsWith('/')) throw new Error('it must not end with `/`');
  return text;
}

/** Reads a list of issuers, with commas between. Throws on anything else. */
export function issuerUrls(text: string): readonly string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .map((each) => {
      plainUrl(each);
      return each;
    });
}

/**
 * Checks the URL of an issuer, which is attacker-controlled; it stays as it is written, since it is compared exactly.
 * Its address is checked when it is reached.
 * @throws Fault `request.malformed` with the reason
 */
export function verifyIssuer(text: string, allowed: ReadonlySet<string>): string {
  try {
    const url = plainUrl(text);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowed.has(hostOf(url))))
      throw new Error('it must begin with `https://`');
    return text;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'it is no URL';
    throw new Fault('request.malformed', `the \`issuer\` is refused: ${why}`, { pointer: '/issuer', cause });
  }
}

/** RFC 8414 §2: an issuer has no query and no fragment. */
function plainUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || text.length > URL_MAX || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new Error('it is no URL');
  if (url.username !== '' || url.password !== '') throw new Error('it must hold no user and no password');
  if (/[?#\s"\\,]/.test(text)) throw new Error('it must have no query, no fragment and none of `"`, `\\`, `,`');
  return url;
}
