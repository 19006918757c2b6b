// SPDX-License-Identifier: Apache-2.0
import { request as httpRequest, type ClientRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { dialThrough } from '@writ/nest-kit';
import type { DirectTarget, PinnedTarget, ProxiedTarget } from './egress-gate.ts';
import { bareHost } from './webhook-url.ts';

/** The head of an outgoing request. */
export interface RequestHead {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/**
 * Opens a request to a pinned target, on a new connection. Redirects are not followed. The certificate must match the
 * name in the URL, although the connection uses a given address. Rejects where the proxy refuses the tunnel.
 */
export async function openRequest(target: PinnedTarget, head: RequestHead): Promise<ClientRequest> {
  return target.proxy === null ? open(target, head) : await openThrough(target, head);
}

function open(target: DirectTarget, head: RequestHead): ClientRequest {
  const { url, address } = target;
  const host = bareHost(url);
  const common = {
    ...optionsOf(target, head),
    host: address,
    ...(url.port === '' ? {} : { port: Number(url.port) }),
    // Always a new connection, because a pooled one may be pinned to another target's address.
    agent: false as const,
  };
  // TLS allows no IP address as a server name (SNI).
  return url.protocol === 'https:'
    ? httpsRequest({ ...common, ...(isIP(host) === 0 ? { servername: host } : {}) })
    : httpRequest(common);
}

/**
 * Opens a request through a proxy tunnel to the target, whose certificate is verified here as in a direct connection.
 */
async function openThrough(target: ProxiedTarget, head: RequestHead): Promise<ClientRequest> {
  const { url, address, proxy } = target;
  const [host, isEncrypted] = [bareHost(url), url.protocol === 'https:'];
  const port = url.port === '' ? (isEncrypted ? 443 : 80) : Number(url.port);
  const connection = await dialThrough(proxy, { host, address, port, tlsHost: isEncrypted ? host : null }, head.signal);
  // Without an agent, which would open another connection.
  return httpRequest({ ...optionsOf(target, head), createConnection: () => connection });
}

const optionsOf = ({ url }: Pick<PinnedTarget, 'url'>, { method, headers, signal }: RequestHead) => ({
  method,
  path: `${url.pathname}${url.search}`,
  headers: { host: url.host, ...headers },
  signal,
});
