// SPDX-License-Identifier: Apache-2.0
/**
 * The head of a request that a job sent to its proxy, as an HTTP parser has read it: attacker-controlled. What leaves
 * is written anew from what is answered here, on a connection of its own, so that a head with two readings is refused
 * before it and can't be passed on after it.
 */
import { parseUrl, TargetError, type EgressTarget } from './target.ts';

export interface RequestHead {
  readonly method: string;
  /** as it stood in the request line */
  readonly url: string;
  /** names and values in turn, as they came */
  readonly rawHeaders: readonly string[];
}

/**
 * What may be asked and of whom, with the headers that go along, without those that speak of the connection to the
 * proxy.
 */
export interface ForwardedHead {
  readonly target: EgressTarget;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Of one connection and not of the request (RFC 9110 §7.6.1), or ours to write. */
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
const HEADERS_MAX = 100;

/** Judges the form of a head. @throws TargetError that says what is wrong with it */
export function parseRequestHead({ method, url, rawHeaders }: RequestHead): ForwardedHead {
  if (!METHOD.test(method) || method === 'TRACE' || method === 'CONNECT')
    throw new TargetError('the method is none that a proxy forwards');
  const target = parseUrl(url);
  const pairs = pairsOf(rawHeaders);
  const named = (name: string): string[] => pairs.filter(([each]) => each === name).map(([, value]) => value);
  const hosts = named('host');
  if (hosts.length !== 1 || !isHostOf(target, hosts[0] ?? ''))
    throw new TargetError('the request has not exactly one `Host`, that of its URL');
  const lengths = named('content-length');
  if (
    lengths.length > 1 ||
    lengths.some((length) => !/^[0-9]{1,15}$/.test(length)) ||
    (lengths.length > 0 && named('transfer-encoding').length > 0)
  ) {
    throw new TargetError('the length of the request has more than one reading');
  }
  if (named('transfer-encoding').some((coding) => coding.toLowerCase() !== 'chunked'))
    throw new TargetError('the coding of the request is not understood');
  const spoken = new Set(
    named('connection').flatMap((list) => list.split(',').map((name) => name.trim().toLowerCase())),
  );
  // A length that the connection is said to own would go missing, and the rest of the body be read as a request.
  if (spoken.has('content-length') || spoken.has('host'))
    throw new TargetError('`Connection` names what belongs to the request');
  return { target, method, headers: pairs.filter(([name]) => !DROPPED.has(name) && !spoken.has(name)) };
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

const isHostOf = ({ host, port }: EgressTarget, written: string): boolean =>
  [host, `${host}:${port}`].includes(written.toLowerCase());
