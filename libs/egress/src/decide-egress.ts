// SPDX-License-Identifier: Apache-2.0
import { RAW_METHODS, TUNNEL, type Grant, type RawMethod, type Verdict } from '@writ/contract';
import { reaches, reachesHost } from '@writ/capability';
import {
  authorityOf,
  hasUsualPort,
  parseAuthority,
  parseRaw,
  parseUrl,
  TargetError,
  urlOf,
  type EgressTarget,
} from './target.ts';

/** Methods that don't change anything on a server (RFC 9110 §9.2.1): such a request may be lost or sent twice. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
export const isSafeMethod = (method: string): boolean => SAFE.has(method);

const SCHEME_OF: Readonly<Record<RawMethod, EgressTarget['scheme']>> = { TCP: 'tcp', TLS: 'tls' };
const isRaw = (method: string): method is RawMethod => (RAW_METHODS as readonly string[]).includes(method);

const isRawScheme = ({ scheme }: EgressTarget): boolean => scheme === 'tcp' || scheme === 'tls';

/**
 * Parses the target that a call names for a method: a URL, `host:port` or the URL behind it for `CONNECT`, and
 * `tcp://host:port` and `tls://host:port` for `TCP` and `TLS`. @throws TargetError
 */
export function parseTarget(method: string, url: string): EgressTarget {
  if (method === TUNNEL && !url.includes('/')) return parseAuthority(url);
  if (!isRaw(method)) return parseUrl(url);
  const target = parseRaw(url);
  if (target.scheme !== SCHEME_OF[method])
    throw new TargetError(`the target of \`${method}\` is \`${SCHEME_OF[method]}://host:port\``);
  return target;
}

/** A target as the list of requests shows it: a URL, or the `host:port` of a connection without visible requests. */
export const describeTarget = (method: string, target: EgressTarget): string =>
  method === TUNNEL || isRaw(method) ? `${target.host}:${target.port}` : urlOf(target);

/**
 * Decides whether the net grants of every token of a chain allow a request: each must grant host, method and port. No
 * token, or one without a grant, allows nothing. `isPublicAddress` separately checks the address that the host
 * resolves to.
 */
export function decideEgress(chain: readonly Grant['net'][], method: string, target: EgressTarget): Verdict {
  const isGranted = chain.length > 0 && chain.every((net) => reaches(net, target.host, method, target.port));
  if (isGranted && isRaw(method) === isRawScheme(target)) return { effect: 'allow' };
  return {
    effect: 'refuse',
    code: 'token.scope',
    message: `the capability token does not let ${whatLeaves(method, target)} out`,
    hint: remedy(method, target),
  };
}

/**
 * Decides whether the name of a host may be resolved: every token must grant some connection to it. A name that is
 * asked of a server is a message to its owner.
 */
export function decideResolution(chain: readonly Grant['net'][], host: string): Verdict {
  if (chain.length > 0 && chain.every((net) => reachesHost(net, host))) return { effect: 'allow' };
  return {
    effect: 'refuse',
    code: 'token.scope',
    message: `the capability token does not let the name \`${host}\` be resolved`,
    hint: 'a token that grants any method for the domain would do',
  };
}

const whatLeaves = (method: string, target: EgressTarget): string =>
  method === TUNNEL || isRaw(method)
    ? `\`${method}\` to \`${method === TUNNEL ? authorityOf(target) : describeTarget(method, target)}\``
    : `\`${method}\` of \`${urlOf(target).slice(0, 200)}\``;

function remedy(method: string, target: EgressTarget): string {
  if (isRaw(method)) return `a token that grants \`${method}\` and port ${target.port} for the domain would do`;
  const port = hasUsualPort(target) ? '' : ` and port ${target.port}`;
  return method === TUNNEL
    ? `a token that grants \`CONNECT\`${port} for the domain would do: what goes through a tunnel is not seen`
    : `a token that grants the method${port} for the domain would do`;
}
