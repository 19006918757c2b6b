// SPDX-License-Identifier: Apache-2.0
import { isIP } from 'node:net';
import { Fault } from '@writ/contract';
import { isPublicAddress } from '@writ/egress';
import { hostOf } from './allowed-hosts.ts';

/** As long as servers and proxies accept. */
const URL_MAX = 2_048;

/** The host without the brackets of an IPv6 address. */
export const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/**
 * Parses the URL of a webhook, which is attacker-controlled, and normalizes it. A host name is resolved and checked at
 * each attempt. An IP address is checked now, including decimal, octal, hexadecimal and short forms.
 * @throws Fault `request.malformed` with the reason
 */
export function parseWebhookUrl(text: string, allowed: ReadonlySet<string>): URL {
  const url = URL.parse(text);
  if (url === null || text.length > URL_MAX) throw refused('it is no URL');
  const isAllowed = allowed.has(hostOf(url));
  if (url.protocol !== 'https:' && !(isAllowed && url.protocol === 'http:'))
    throw refused('it must begin with `https://`');
  if (url.username !== '' || url.password !== '') throw refused('it must hold no user and no password');
  if (url.hash !== '') throw refused('it must have no fragment');
  const host = bareHost(url);
  if (!isAllowed && isIP(host) !== 0 && !isPublicAddress(host)) throw refused('its address is not public');
  return url;
}

const refused = (why: string): Fault =>
  new Fault('request.malformed', `the webhook's \`url\` is refused: ${why}`, { pointer: '/url' });
