// SPDX-License-Identifier: Apache-2.0
//
// Requests to authorization servers, by the fetch that the OAuth library asks for. INVARIANT (the one way out): each
// goes through the egress gate, with its rules of addresses, over TLS, and follows no redirect.
import { parseUrl, type PrivateEndpoint } from '@writ/egress';
import type { CustomFetchOptions } from 'oauth4webapi';
import type { EgressPorts } from '../../egress/egress-ports.ts';
import { exchange } from '../../egress/exchange.ts';
import { openOwnGate } from '../../egress/own-gate.ts';
import { verifyPrivate } from '../resource-secret.ts';
import { OAuthProblem } from './oauth-problem.ts';

/** The longest answer: metadata with every key and claim have some 20 KiB. Reading it takes no noticeable time. */
const ANSWER_BYTES_MAX = 64 * 1024;
/** An answer, its head and what is sent. */
const GATE_BYTES_MAX = 2 * ANSWER_BYTES_MAX;

/** A header that is read. The address of metadata, which a challenge has, is shorter. */
const HEADER_CHARS_MAX = 1_024;

/** How a request leaves. */
export interface FetchParts {
  readonly ports: EgressPorts;
  /** endpoints that may have private addresses */
  readonly privateEndpoints: readonly PrivateEndpoint[];
}

export type GateFetch = (
  url: string,
  options: Pick<
    CustomFetchOptions<'GET' | 'POST', URLSearchParams | string | undefined>,
    'method' | 'headers' | 'body'
  > & {
    /** also the challenge of a server that refuses, if it is short */
    readonly challenge?: boolean;
  },
) => Promise<Response>;

/** @param signal ends each request with the work that it is for */
export function gateFetch({ ports, privateEndpoints }: FetchParts, signal: AbortSignal): GateFetch {
  return async (url, { method, headers, body, challenge = false }) => {
    signal.throwIfAborted();
    const target = parseUrl(url);
    verifyPrivate(target);
    const { host, port } = target;
    const gate = openOwnGate({
      rules: [{ domain: host, methods: [method], ports: [port] }],
      privateEndpoints,
      bytesMax: GATE_BYTES_MAX,
      requestsMax: 1,
      ports,
      signal,
    });
    try {
      const admitted = await gate.admit(method, target, '', { isSafe: true });
      const sent = body === undefined ? null : Buffer.from(body.toString());
      const length = sent === null ? [] : [['content-length', String(sent.length)] as const];
      const own = [['accept-encoding', 'identity'], ['user-agent', 'writ'], ...length] as const;
      const answer = await exchange(admitted, {
        method,
        target,
        headers: [...Object.entries(headers), ...own],
        body: sent,
      });
      const names = challenge ? ['content-type', 'www-authenticate'] : ['content-type'];
      return responseOf(answer.statusCode ?? 0, shortHeaders(answer.headers, names), await bodyOf(answer));
    } finally {
      gate.close();
    }
  };
}

async function bodyOf(answer: AsyncIterable<unknown>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of answer) {
    bytes += (part as Buffer).length;
    if (bytes > ANSWER_BYTES_MAX) throw new OAuthProblem('the authorization server answers with too many bytes');
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts);
}

/** Statuses whose answers have no body. */
const BODILESS = [204, 205, 304];

/**
 * The headers of these names that aren't long. INVARIANT (no work of a server's choice): the library gets no challenge.
 * It takes time that grows with the square of its length, in the thread that all calls share.
 */
const shortHeaders = (
  { ...headers }: Readonly<Record<string, unknown>>,
  names: readonly string[],
): readonly [string, string][] =>
  names.flatMap((name): [string, string][] => {
    const value = headers[name];
    return typeof value === 'string' && value.length <= HEADER_CHARS_MAX ? [[name, value]] : [];
  });

function responseOf(status: number, headers: readonly [string, string][], body: Buffer): Response {
  if (status < 200 || status > 599)
    throw new OAuthProblem(`the authorization server answers with status ${String(status)}`);
  return new Response(BODILESS.includes(status) ? null : new Uint8Array(body), { status, headers: [...headers] });
}
