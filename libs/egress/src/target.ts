// SPDX-License-Identifier: Apache-2.0
/**
 * Where a request is to go, read in one place from what a job or a model wrote: attacker-controlled.
 *
 * INVARIANT (one spelling): a host has one spelling here, lower-case ASCII without a trailing dot, and what has another
 * is refused and not corrected: two readers of one URL can't then mean two hosts. INVARIANT (nothing beside): no user,
 * no password, no fragment, no control character passes.
 */
import { isCanonicalHost } from './host.ts';

/** Schemes that lead out, with the one port of each that may be used. */
export const PORTS = { http: 80, https: 443 } as const;
export type EgressScheme = keyof typeof PORTS;

/** As much as servers and proxies take. */
export const URL_CHARS_MAX = 2_048;

/** One place outside, before anybody has asked what addresses its name has. */
export interface EgressTarget {
  readonly scheme: EgressScheme;
  readonly host: string;
  readonly port: number;
  /** with its query, as it is sent; empty for a tunnel, whose requests nobody sees */
  readonly path: string;
}

/** What was asked for is no place that a request can go to. The message is fit for the caller. */
export class TargetError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TargetError';
  }
}

/**
 * `scheme://authority path`; the authority may hold neither a user nor anything that a lenient reader would end it at.
 */
const ABSOLUTE =
  /^(https?):\/\/([A-Za-z0-9.-]+)(?::([0-9]{1,5}))?((?:[/?][\x21\x24-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]*)?)$/;
const AUTHORITY = /^([A-Za-z0-9.-]+):([0-9]{1,5})$/;

/** Reads an absolute `http` or `https` URL. @throws TargetError */
export function parseUrl(text: string): EgressTarget {
  if (text.length > URL_CHARS_MAX) throw new TargetError(`a URL has at most ${URL_CHARS_MAX} characters`);
  const [, scheme, authority, port, rest] = ABSOLUTE.exec(text) ?? [];
  if (scheme === undefined || authority === undefined || rest === undefined) {
    throw new TargetError(
      'the URL is not `http://` or `https://` with a host name in ASCII, without a user, a fragment or characters that a URL escapes',
    );
  }
  const host = hostOf(authority);
  // The standard's own reader must mean the same place, or one of us is wrong about what the server will be asked.
  const url = URL.parse(text);
  if (url === null || url.hostname !== host || url.username !== '' || url.hash !== '')
    throw new TargetError('the URL has more than one reading');
  const asked = { scheme: scheme as EgressScheme, host, path: url.pathname + url.search };
  return { ...asked, port: portOf(asked.scheme, port) };
}

/** Reads the `host:port` of a tunnel. @throws TargetError */
export function parseAuthority(text: string): EgressTarget {
  const [, authority, port] = AUTHORITY.exec(text.slice(0, URL_CHARS_MAX)) ?? [];
  if (authority === undefined || port === undefined) throw new TargetError('a tunnel leads to `host:port`');
  return { scheme: 'https', host: hostOf(authority), port: portOf('https', port), path: '' };
}

/** The URL that a target stands for. */
export const urlOf = ({ scheme, host, path }: EgressTarget): string => `${scheme}://${host}${path}`;

function hostOf(authority: string): string {
  const host = authority.toLowerCase();
  if (!isCanonicalHost(host))
    throw new TargetError('the host is neither a domain name in ASCII nor an IPv4 address of four decimal parts');
  return host;
}

function portOf(scheme: EgressScheme, written: string | undefined): number {
  const port = PORTS[scheme];
  if (written !== undefined && Number(written) !== port)
    throw new TargetError(`\`${scheme}\` goes to port ${port} alone`);
  return port;
}
