// SPDX-License-Identifier: Apache-2.0
import type { ClientRequest, IncomingMessage } from 'node:http';
import { DeliveryError } from '../../edge/outbound/delivery-error.ts';
import type { EgressGate, PinnedTarget } from '../../edge/outbound/egress-gate.ts';
import { openRequest } from '../../edge/outbound/open-request.ts';
import { timedOut } from '../../edge/outbound/timed-out.ts';

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
    const request = await openRequest(target, { method: 'POST', headers: all, signal });
    return await answerOf(request, body);
  } catch (cause) {
    throw new DeliveryError(signal.aborted ? 'timeout' : 'connect.failed', { cause });
  }
}

/**
 * Resolves a URL through the gate, and posts JSON to the address that was checked.
 * @throws DeliveryError as the gate and `postMessage` do
 */
export async function pinAndPost(
  gate: EgressGate,
  url: string,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  signal: AbortSignal,
): Promise<PostAnswer> {
  // A lookup can't be aborted; its result is ignored.
  const target = await Promise.race([gate.pin(url), timedOut(signal)]);
  return await postMessage(target, headers, body, signal);
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

function drain(response: IncomingMessage): void {
  let bytes = 0;
  response.on('data', (part: Buffer) => {
    bytes += part.length;
    if (bytes > ANSWER_BYTES_MAX) response.destroy();
  });
  // The status is known already; errors in the body don't matter.
  response.on('error', () => undefined);
}
