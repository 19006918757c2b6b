// SPDX-License-Identifier: Apache-2.0
// How a process reaches the world outside its network: directly, or through the one HTTP proxy of a company.
import { once } from 'node:events';
import { setGlobalProxyFromEnv, request, type IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Type } from 'typebox';
import { ReadBy, urlWithHost } from './variable-texts.ts';

/** The variables of a process that reaches the world: to be spread into the schema of its own. */
export const OUTBOUND_ENVIRONMENT = {
  WRIT_OUTBOUND_PROXY: Type.Optional(
    ReadBy(
      Type.String({
        pattern: '^http://[^\\s/?#]+/?$',
        secret: true,
        description:
          'an HTTP proxy through which the process reaches the world (CONNECT), `http://[user:password@]host:port`; direct unless set',
      }),
      proxyUrl,
    ),
  ),
  WRIT_OUTBOUND_DIRECT: Type.String({
    default: '',
    pattern: '^([a-z0-9.:-]+(,[a-z0-9.:-]+)*)?$',
    description: 'hosts that are reached without the proxy, with commas between; `.example.org` is every host below it',
  }),
  WRIT_OUTBOUND_DNS: Type.Union([Type.Literal('own'), Type.Literal('proxy')], {
    default: 'own',
    description:
      '`own`: the process resolves names and asks the proxy for the address; `proxy`: it asks the proxy for the name',
  }),
};

/** Reads the proxy's URL, whose credentials are percent-encoded. @throws Error that repeats nothing of it */
function proxyUrl(text: string): void {
  const { username, password } = urlWithHost(text);
  for (const part of [username, password]) {
    try {
      decodeURIComponent(part);
    } catch {
      throw new Error('its user or password holds a `%` that is no percent-encoding');
    }
  }
}

interface OutboundVariables {
  readonly WRIT_OUTBOUND_PROXY?: string | undefined;
  readonly WRIT_OUTBOUND_DIRECT: string;
  readonly WRIT_OUTBOUND_DNS: 'own' | 'proxy';
}

/** The way to the world outside. */
export interface Outbound {
  /** the proxy that a host, a name or an address, is reached through; null: directly */
  readonly proxyFor: (host: string) => URL | null;
  /** whether the proxy resolves the names of hosts that are reached through it */
  readonly proxyResolves: boolean;
}

/** Directly. */
export const DIRECT: Outbound = { proxyFor: () => null, proxyResolves: false };

/**
 * Reads the way out of a process.
 * @param inside more hosts that are reached without the proxy
 * @throws Error where a setting makes sense only beside a proxy, and there is none
 */
export function outboundOf(read: OutboundVariables, inside: readonly string[] = []): Outbound {
  const { WRIT_OUTBOUND_PROXY: proxy, WRIT_OUTBOUND_DIRECT: direct, WRIT_OUTBOUND_DNS: dns } = read;
  if (proxy === undefined) {
    if (dns === 'proxy')
      throw new Error('`WRIT_OUTBOUND_DNS` is `proxy`, so `WRIT_OUTBOUND_PROXY` must name the proxy');
    return DIRECT;
  }
  const hosts = [...direct.split(',').filter((host) => host !== ''), ...inside];
  const isDirect = (host: string): boolean =>
    hosts.some((each) => each === host || (each.startsWith('.') && host.endsWith(each)));
  const url = new URL(proxy);
  return { proxyFor: (host) => (isDirect(host) ? null : url), proxyResolves: dns === 'proxy' };
}

/**
 * Has `fetch` and the requests of this process that name no agent use the proxy: those of clients of models, and of
 * witnesses. Does nothing without one. Once per process, before its first request. Answers what undoes it.
 */
export function fetchThrough({
  WRIT_OUTBOUND_PROXY: proxy,
  WRIT_OUTBOUND_DIRECT: direct,
}: OutboundVariables): () => void {
  if (proxy === undefined) return () => undefined;
  const loopback = ['localhost', '127.0.0.1', '::1'];
  return setGlobalProxyFromEnv({
    http_proxy: proxy,
    https_proxy: proxy,
    no_proxy: [...loopback, ...direct.split(',')].filter(Boolean).join(','),
  });
}

/** What a proxy answers when it lets a tunnel out. */
const OK = 200;

/**
 * Opens a tunnel through a proxy (RFC 9110 §9.3.6). Bytes that the other side sends at once are on the socket.
 * @param host a name, or an address
 * @throws Error with the proxy's status where it refuses; what `signal` aborts with
 */
export function connectThrough(proxy: URL, host: string, port: number, signal: AbortSignal): Promise<Socket> {
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${String(port)}`;
  const { username, password } = proxy;
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  return new Promise((resolve, reject) => {
    const asked = request({
      method: 'CONNECT',
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port === '' ? 80 : Number(proxy.port),
      path: authority,
      signal,
      agent: false,
      headers: { host: authority, ...(username === '' ? {} : { 'proxy-authorization': `Basic ${credentials}` }) },
    });
    asked.once('error', reject);
    asked.once('response', (answer: IncomingMessage) => {
      answer.resume();
      asked.destroy();
      reject(refusalOf(answer, authority));
    });
    asked.once('connect', (answer: IncomingMessage, socket: Socket, head: Buffer) => {
      if (answer.statusCode !== OK) {
        socket.destroy();
        reject(refusalOf(answer, authority));
        return;
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    asked.end();
  });
}

/** A place beyond a proxy. */
export interface Beyond {
  /** the name or address of the place */
  readonly host: string;
  /** what the proxy is asked for; null: the host */
  readonly address: string | null;
  readonly port: number;
  /** the name or address whose certificate the place must show; null: no TLS of ours */
  readonly tlsHost: string | null;
}

/**
 * Connects to a place through a proxy, with TLS of ours to the place itself where that is asked for.
 * @throws Error of the proxy, or of the place's certificate; what `signal` aborts with
 */
export async function dialThrough(
  proxy: URL,
  { host, address, port, tlsHost }: Beyond,
  signal: AbortSignal,
): Promise<Socket> {
  const tunnel = await connectThrough(proxy, address ?? host, port, signal);
  if (tlsHost === null) return tunnel;
  // An address has no name to greet with, and its certificate is compared with it as the host.
  const name = isIP(tlsHost) === 0 ? { servername: tlsHost } : {};
  const socket = connectTls({
    socket: tunnel,
    host: tlsHost,
    ...name,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
  });
  try {
    await once(socket, 'secureConnect', { signal });
    return socket;
  } catch (error) {
    socket.on('error', () => undefined).destroy();
    throw error;
  }
}

const refusalOf = ({ statusCode = 0 }: IncomingMessage, authority: string): Error =>
  new Error(`the proxy (WRIT_OUTBOUND_PROXY) answered ${String(statusCode)} to a tunnel to ${authority}`);
