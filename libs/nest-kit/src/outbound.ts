// SPDX-License-Identifier: Apache-2.0
// How a process reaches hosts outside its network: directly, or through the one HTTP proxy of a company.
import { once } from 'node:events';
import { setGlobalProxyFromEnv, request, type IncomingMessage } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Type } from 'typebox';
import { ReadBy, urlWithHost } from './variable-texts.ts';

/** The variables of a process that opens connections to external hosts, to spread into its schema. */
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

/** How a process reaches external hosts. */
export interface Outbound {
  /** the proxy for a host (a name or an address); null: a direct connection */
  readonly proxyFor: (host: string) => URL | null;
  /** whether the proxy resolves the names of hosts that are reached through it */
  readonly proxyResolves: boolean;
}

/** Without a proxy. */
export const DIRECT: Outbound = { proxyFor: () => null, proxyResolves: false };

/**
 * Reads the settings of outbound connections.
 * @param inside more hosts that are reached without the proxy
 * @throws Error where a setting is meaningful only with a proxy, and there is none
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
 * Routes `fetch` and requests without an agent through the proxy: those of model clients and of witnesses. Does nothing
 * without a proxy. Call it once per process, before the first request. Returns a function that undoes it.
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

/** The status with which a proxy accepts a tunnel. */
const OK = 200;

/**
 * Opens a tunnel through a proxy (RFC 9110 §9.3.6). Bytes that the other side sends at once are on the socket.
 * @param host a name, or an address
 * @throws Error with the proxy's status where it refuses; the reason of `signal` when that aborts
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

/** A target to connect to. */
export interface DialTarget {
  /** the name or address of the target */
  readonly host: string;
  /** the address to connect to, or for the proxy's request; null: the proxy gets the host */
  readonly address: string | null;
  readonly port: number;
  /** the name or address that the target's certificate must have; null: we add no TLS */
  readonly tlsHost: string | null;
  /** set where the connection doesn't carry HTTP: TLS then offers no protocol by ALPN (RFC 7301) */
  readonly raw?: true;
}

/**
 * Connects to a target through a proxy, with our TLS to the target itself where `tlsHost` is set.
 * @throws Error of the proxy, or for the target's certificate; the reason of `signal` when that aborts
 */
export async function dialThrough(
  proxy: URL,
  { host, address, port, tlsHost, raw }: DialTarget,
  signal: AbortSignal,
): Promise<Socket> {
  const tunnel = await connectThrough(proxy, address ?? host, port, signal);
  if (tlsHost === null) return tunnel;
  // An address has no server name (SNI), and its certificate is compared with it as the host.
  const name = isIP(tlsHost) === 0 ? { servername: tlsHost } : {};
  const socket = connectTls({
    socket: tunnel,
    host: tlsHost,
    ...name,
    ...(raw === true ? {} : { ALPNProtocols: ['http/1.1'] }),
    rejectUnauthorized: true,
  });
  return await awaitConnected(socket, 'secureConnect', signal);
}

/**
 * Connects to the address of a target, with our TLS where `tlsHost` is set.
 * @throws Error where there is no address or no connection, or for the certificate; the reason of `signal` when that
 * aborts
 */
export async function dialDirectly({ address, port, tlsHost, raw }: DialTarget, signal: AbortSignal): Promise<Socket> {
  if (address === null) throw new Error('nothing is dialled directly by its name');
  if (tlsHost === null) return await awaitConnected(connect({ host: address, port, noDelay: true }), 'connect', signal);
  // An IP address is not sent as SNI, and the certificate is compared with the address as host.
  const name = isIP(tlsHost) === 0 ? { servername: tlsHost } : {};
  const protocols = raw === true ? {} : { ALPNProtocols: ['http/1.1'] };
  const socket = connectTls({ host: address, port, ...name, ...protocols, rejectUnauthorized: true });
  return await awaitConnected(socket, 'secureConnect', signal);
}

/**
 * Resolves with the socket once it is connected. Destroys the socket if that fails or the signal aborts first.
 * Afterwards the caller owns it.
 */
export async function awaitConnected(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<Socket> {
  try {
    await once(socket, event, { signal });
    return socket;
  } catch (error) {
    socket.on('error', () => undefined).destroy();
    throw error;
  }
}

const refusalOf = ({ statusCode = 0 }: IncomingMessage, authority: string): Error =>
  new Error(`the proxy (WRIT_OUTBOUND_PROXY) answered ${String(statusCode)} to a tunnel to ${authority}`);
