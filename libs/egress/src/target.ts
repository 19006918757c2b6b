// SPDX-License-Identifier: Apache-2.0
/**
 * The target of a request, parsed in one place from the text of a job or a model: attacker-controlled.
 *
 * INVARIANT (one spelling): a host has one spelling here, lower-case ASCII without a trailing dot. Other spellings are
 * refused and not corrected, so that two readers of one URL can't get two hosts. INVARIANT (nothing beside): no user,
 * no password, no fragment, no control character is accepted.
 */
import { PORT_MAX } from '@writ/contract';
import { isCanonicalHost } from './host.ts';

/** The schemes of requests, with the port of each that a URL need not write. */
export const PORTS = { http: 80, https: 443 } as const;
/** `tcp` and `tls` are connections of which the gate sees no requests. */
export type EgressScheme = keyof typeof PORTS | 'tcp' | 'tls';

/** The length that servers and proxies accept. */
export const URL_CHARS_MAX = 2_048;

/** An external target, before its name is resolved. */
export interface EgressTarget {
  readonly scheme: EgressScheme;
  readonly host: string;
  readonly port: number;
  /** with its query, as it is sent; empty for a tunnel and a raw connection, whose contents are not visible */
  readonly path: string;
}

/** The text is no valid target of a request. The message is fit for the caller. */
export class TargetError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TargetError';
  }
}

/**
 * `scheme://authority path`; the authority may contain neither a user nor a character at which a lenient reader would
 * end it.
 */
const ABSOLUTE =
  /^(https?):\/\/([A-Za-z0-9.-]+)(?::([1-9][0-9]{0,4}))?((?:[/?][\x21\x24-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]*)?)$/;
const AUTHORITY = /^([A-Za-z0-9.-]+):([1-9][0-9]{0,4})$/;
const RAW = /^(tcp|tls):\/\/([^/]*)$/;

/** Parses an absolute `http` or `https` URL. @throws TargetError */
export function parseUrl(text: string): EgressTarget {
  if (text.length > URL_CHARS_MAX) throw new TargetError(`a URL has at most ${URL_CHARS_MAX} characters`);
  const [, scheme, authority, port, rest] = ABSOLUTE.exec(text) ?? [];
  if (scheme === undefined || authority === undefined || rest === undefined) {
    throw new TargetError(
      'the URL is not `http://` or `https://` with a host name in ASCII, without a user, a fragment or characters that a URL escapes',
    );
  }
  const host = hostOf(authority);
  // The standard parser must return the same target; otherwise the server may receive another request.
  const url = URL.parse(text);
  if (url === null || url.hostname !== host || url.username !== '' || url.hash !== '')
    throw new TargetError('the URL has more than one reading');
  const parsed = { scheme: scheme as keyof typeof PORTS, host, path: url.pathname + url.search };
  return { ...parsed, port: port === undefined ? PORTS[parsed.scheme] : httpPort(parsed.scheme, port) };
}

/** Parses the `host:port` of a tunnel. @throws TargetError */
export function parseAuthority(text: string): EgressTarget {
  return { scheme: 'https', ...placeIn(text, 'a tunnel'), path: '' };
}

/** Parses `tcp://host:port` or `tls://host:port`, the target of a raw connection. @throws TargetError */
export function parseRaw(text: string): EgressTarget {
  const [, scheme, authority] = RAW.exec(text.slice(0, URL_CHARS_MAX)) ?? [];
  if (scheme === undefined || authority === undefined)
    throw new TargetError('the target of a raw connection is `tcp://host:port` or `tls://host:port`');
  return { scheme: scheme as EgressScheme, ...placeIn(authority, 'a raw connection'), path: '' };
}

/** Answers whether the port is the one that the scheme goes to unless a URL names another. */
export const hasUsualPort = ({ scheme, port }: EgressTarget): boolean =>
  (PORTS as Readonly<Record<string, number>>)[scheme] === port;

/** The host of a target, with its port where the scheme doesn't imply it: the value of `Host` (RFC 9110 §7.2). */
export const authorityOf = (target: EgressTarget): string =>
  hasUsualPort(target) ? target.host : `${target.host}:${target.port}`;

/** The URL of a target. */
export const urlOf = (target: EgressTarget): string => `${target.scheme}://${authorityOf(target)}${target.path}`;

function placeIn(text: string, what: string): { readonly host: string; readonly port: number } {
  const [, authority, port] = AUTHORITY.exec(text.slice(0, URL_CHARS_MAX)) ?? [];
  if (authority === undefined || port === undefined) throw new TargetError(`${what} leads to \`host:port\``);
  return { host: hostOf(authority), port: portOf(port) };
}

function hostOf(authority: string): string {
  const host = authority.toLowerCase();
  if (!isCanonicalHost(host))
    throw new TargetError('the host is neither a domain name in ASCII nor an IPv4 address of four decimal parts');
  return host;
}

function portOf(written: string): number {
  const port = Number(written);
  if (port > PORT_MAX) throw new TargetError(`a port is at most ${PORT_MAX}`);
  return port;
}

/** Neither scheme goes to the usual port of the other one: such a URL is a mistake, or meant to confuse a reader. */
function httpPort(scheme: keyof typeof PORTS, written: string): number {
  const port = portOf(written);
  const other = scheme === 'http' ? 'https' : 'http';
  if (port === PORTS[other]) throw new TargetError(`port ${port} is that of \`${other}\`, and not of \`${scheme}\``);
  return port;
}
