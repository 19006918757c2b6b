// SPDX-License-Identifier: Apache-2.0
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { dialThrough } from '@writ/nest-kit';
import { DeliveryError } from './delivery-error.ts';
import type { DirectTarget, PinnedTarget, ProxiedTarget } from './egress-gate.ts';
import { bareHost } from './webhook-url.ts';

/**
 * Bytes of a response's body that are read and discarded, because only the status matters. The connection of a longer
 * response is closed.
 */
const ANSWER_BYTES_MAX = 16 * 1024;

export interface PostAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/**
 * Posts JSON to a pinned target and returns the status of the response, whatever it is. Redirects are not followed. The
 * certificate must match the name in the URL, although the connection uses a given address.
 * @throws DeliveryError `connect.failed`, or `timeout` when `signal` aborts before the headers of the response arrive
 */
export async function postMessage(
  target: PinnedTarget,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<PostAnswer> {
  try {
    const length = String(Buffer.byteLength(body));
    const all = {
      ...headers,
      'content-type': 'application/json',
      'content-length': length,
      'user-agent': 'writ-webhooks/1',
    };
    const request = target.proxy === null ? open(target, all, signal) : await openThrough(target, all, signal);
    return await answerOf(request, body);
  } catch (cause) {
    throw new DeliveryError(signal.aborted ? 'timeout' : 'connect.failed', { cause });
  }
}

function answerOf(request: ClientRequest, body: string): Promise<PostAnswer> {
  return new Promise((resolve, reject) => {
    // The handler stays after the response: a connection that breaks later must not become an uncaught error.
    request.on('error', reject);
    request.once('response', (response) => {
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
      drain(response);
    });
    request.end(body);
  });
}

function open(target: DirectTarget, headers: Record<string, string>, signal: AbortSignal): ClientRequest {
  const { url, address } = target;
  const host = bareHost(url);
  const common = {
    ...optionsOf(target, headers, signal),
    host: address,
    ...(url.port === '' ? {} : { port: Number(url.port) }),
    // Always a new connection, because a pooled one may be pinned to another webhook's address.
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
async function openThrough(
  target: ProxiedTarget,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<ClientRequest> {
  const { url, address, proxy } = target;
  const [host, isEncrypted] = [bareHost(url), url.protocol === 'https:'];
  const port = url.port === '' ? (isEncrypted ? 443 : 80) : Number(url.port);
  const connection = await dialThrough(proxy, { host, address, port, tlsHost: isEncrypted ? host : null }, signal);
  // Without an agent, which would open another connection.
  return httpRequest({ ...optionsOf(target, headers, signal), createConnection: () => connection });
}

const optionsOf = ({ url }: Pick<PinnedTarget, 'url'>, headers: Record<string, string>, signal: AbortSignal) => ({
  method: 'POST',
  path: `${url.pathname}${url.search}`,
  headers: { host: url.host, ...headers },
  signal,
});

function drain(response: IncomingMessage): void {
  let bytes = 0;
  response.on('data', (part: Buffer) => {
    bytes += part.length;
    if (bytes > ANSWER_BYTES_MAX) response.destroy();
  });
  // The status is known already; errors in the body don't matter.
  response.on('error', () => undefined);
}
