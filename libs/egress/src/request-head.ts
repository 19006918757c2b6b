// SPDX-License-Identifier: Apache-2.0
/**
 * The head of a request that a job sent to its proxy, as an HTTP parser read it: attacker-controlled. The outgoing
 * request is built from the result alone, on its own connection. So an ambiguous head is refused, and can't be passed
 * on.
 */
import { RAW_METHODS, TUNNEL } from '@writ/contract';
import { authorityOf, parseUrl, TargetError, type EgressTarget } from './target.ts';

export interface RequestHead {
  readonly method: string;
  /** as in the request line */
  readonly url: string;
  /** names and values alternately, as received */
  readonly rawHeaders: readonly string[];
}

/** The validated target and method, with the headers to forward, without those of the connection to the proxy. */
export interface ForwardedHead {
  readonly target: EgressTarget;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Headers of a connection and not of the request (RFC 9110 §7.6.1), or written by the proxy. */
const DROPPED: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'proxy-connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'expect',
  'via',
]);
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible characters, spaces, tabs and opaque bytes (RFC 9110 §5.5). */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const METHOD = /^[A-Z]{3,10}$/;
/** `TRACE` would show headers to the job; the others name connections in a grant, and no requests. */
const NOT_FORWARDED: ReadonlySet<string> = new Set(['TRACE', TUNNEL, ...RAW_METHODS]);
const HEADERS_MAX = 100;

/** Validates the form of a head. @throws TargetError with the problem */
export function parseRequestHead({ method, url, rawHeaders }: RequestHead): ForwardedHead {
  if (!METHOD.test(method) || NOT_FORWARDED.has(method))
    throw new TargetError('the method is none that a proxy forwards');
  const target = parseUrl(url);
  const pairs = pairsOf(rawHeaders);
  const valuesOf = (name: string): string[] => pairs.filter(([each]) => each === name).map(([, value]) => value);
  const hosts = valuesOf('host');
  if (hosts.length !== 1 || !isHostOf(target, hosts[0] ?? ''))
    throw new TargetError('the request has not exactly one `Host`, that of its URL');
  const lengths = valuesOf('content-length');
  if (
    lengths.length > 1 ||
    lengths.some((length) => !/^[0-9]{1,15}$/.test(length)) ||
    (lengths.length > 0 && valuesOf('transfer-encoding').length > 0)
  ) {
    throw new TargetError('the length of the request has more than one reading');
  }
  if (valuesOf('transfer-encoding').some((coding) => coding.toLowerCase() !== 'chunked'))
    throw new TargetError('the coding of the request is not understood');
  const hopByHop = new Set(
    valuesOf('connection').flatMap((list) => list.split(',').map((name) => name.trim().toLowerCase())),
  );
  // If the connection claimed the length, it would be dropped, and the rest of the body would be read as a request.
  if (hopByHop.has('content-length') || hopByHop.has('host'))
    throw new TargetError('`Connection` names what belongs to the request');
  return { target, method, headers: pairs.filter(([name]) => !DROPPED.has(name) && !hopByHop.has(name)) };
}

function pairsOf(raw: readonly string[]): [string, string][] {
  if (raw.length > 2 * HEADERS_MAX) throw new TargetError(`a request has at most ${HEADERS_MAX} headers`);
  const pairs: [string, string][] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const [name = '', value = ''] = raw.slice(at, at + 2);
    if (!TOKEN.test(name) || !VALUE.test(value)) throw new TargetError('a header is not one');
    pairs.push([name.toLowerCase(), value.trim()]);
  }
  return pairs;
}

/** The port may be written where the scheme implies it, and must be written where not. */
const isHostOf = (target: EgressTarget, written: string): boolean =>
  [authorityOf(target), `${target.host}:${target.port}`].includes(written.toLowerCase());
