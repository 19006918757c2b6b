// SPDX-License-Identifier: Apache-2.0
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { DeliveryError } from './delivery-error.ts';
import type { PinnedPlace } from './egress-gate.ts';
import { bareHost } from './webhook-url.ts';

/** Bytes of an answer's body that are read, and dropped: a status is all that it may tell. Longer ones are cut off. */
const ANSWER_BYTES_MAX = 16 * 1024;

export interface PostAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/**
 * Posts JSON to a pinned place and gives the status that it answers with, whatever that is. A redirect is an answer like any other: nothing is followed.
 * The certificate must be of the name in the URL, though the address is given.
 * @throws DeliveryError `connect.failed`, or `timeout` when `signal` aborts before the headers of the answer are there
 */
export function postMessage({ url, address }: PinnedPlace, headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal): Promise<PostAnswer> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => reject(new DeliveryError(signal.aborted ? 'timeout' : 'connect.failed', { cause }));
    const request = open({ url, address }, { ...headers, 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)), 'user-agent': 'writ-webhooks/1' }, signal);
    request.once('error', fail);
    request.once('response', (response) => {
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
      drain(response);
    });
    request.end(body);
  });
}

function open({ url, address }: PinnedPlace, headers: Record<string, string>, signal: AbortSignal): ClientRequest {
  const host = bareHost(url);
  const common = {
    method: 'POST', host: address, path: `${url.pathname}${url.search}`, headers: { host: url.host, ...headers }, signal,
    // A connection of its own: one that was kept open was pinned for somebody else.
    agent: false as const,
    ...(url.port === '' ? {} : { port: Number(url.port) }),
  };
  return url.protocol === 'https:' ? httpsRequest({ ...common, ...(isIP(host) === 0 ? { servername: host } : {}) }) : httpRequest(common);
}

function drain(response: IncomingMessage): void {
  let bytes = 0;
  response.on('data', (part: Buffer) => {
    bytes += part.length;
    if (bytes > ANSWER_BYTES_MAX) response.destroy();
  });
  // The status is known by now; how the rest ends makes no difference.
  response.on('error', () => undefined);
}
