// SPDX-License-Identifier: Apache-2.0
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { dialThrough } from '@writ/nest-kit';
import { DeliveryError } from './delivery-error.ts';
import type { DirectPlace, PinnedPlace, ProxiedPlace } from './egress-gate.ts';
import { bareHost } from './webhook-url.ts';

/** Bytes of an answer's body that are read, and dropped: a status is all that it may tell. Longer ones are cut off. */
const ANSWER_BYTES_MAX = 16 * 1024;

export interface PostAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/**
 * Posts JSON to a pinned place and gives the status that it answers with, whatever that is. A redirect is an answer
 * like any other: nothing is followed. The certificate must be of the name in the URL, though the address is given.
 * @throws DeliveryError `connect.failed`, or `timeout` when `signal` aborts before the headers of the answer are there
 */
export async function postMessage(
  place: PinnedPlace,
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
    const request = place.proxy === null ? open(place, all, signal) : await openThrough(place, all, signal);
    return await answerOf(request, body);
  } catch (cause) {
    throw new DeliveryError(signal.aborted ? 'timeout' : 'connect.failed', { cause });
  }
}

function answerOf(request: ClientRequest, body: string): Promise<PostAnswer> {
  return new Promise((resolve, reject) => {
    // Also after the answer: a connection that breaks then is no error of the process.
    request.on('error', reject);
    request.once('response', (response) => {
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
      drain(response);
    });
    request.end(body);
  });
}

function open(place: DirectPlace, headers: Record<string, string>, signal: AbortSignal): ClientRequest {
  const { url, address } = place;
  const host = bareHost(url);
  const common = {
    ...optionsOf(place, headers, signal),
    host: address,
    ...(url.port === '' ? {} : { port: Number(url.port) }),
    // A connection of its own: one that was kept open was pinned for somebody else.
    agent: false as const,
  };
  // An address has no name to greet with.
  return url.protocol === 'https:'
    ? httpsRequest({ ...common, ...(isIP(host) === 0 ? { servername: host } : {}) })
    : httpRequest(common);
}

/** Over a tunnel to the place, whose certificate is verified here as without one. */
async function openThrough(
  place: ProxiedPlace,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<ClientRequest> {
  const { url, address, proxy } = place;
  const [host, isEncrypted] = [bareHost(url), url.protocol === 'https:'];
  const port = url.port === '' ? (isEncrypted ? 443 : 80) : Number(url.port);
  const connection = await dialThrough(proxy, { host, address, port, tlsHost: isEncrypted ? host : null }, signal);
  // Without an agent, which would make a connection of its own.
  return httpRequest({ ...optionsOf(place, headers, signal), createConnection: () => connection });
}

const optionsOf = ({ url }: Pick<PinnedPlace, 'url'>, headers: Record<string, string>, signal: AbortSignal) => ({
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
  // The status is known by now; how the rest ends makes no difference.
  response.on('error', () => undefined);
}
