// SPDX-License-Identifier: Apache-2.0
import type { IncomingHttpHeaders } from 'node:http';
import { DeliveryError } from './delivery-error.ts';
import type { EgressGate } from './egress-gate.ts';
import { openRequest, type RequestHead } from './open-request.ts';
import { timedOut } from './timed-out.ts';

/** The limits of one answer. */
export interface AnswerLimits {
  readonly bytesMax: number;
  /** milliseconds from the DNS lookup to the last byte */
  readonly timeoutMs: number;
}

export type BoundedRequest = Pick<RequestHead, 'method' | 'headers'> & { readonly body?: string };

export interface BoundedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/**
 * Sends a request to a URL that a tenant chose, and returns the answer as text. The gate checks the address. No
 * redirect is followed. A longer and a slower answer, and a status that `accepts` refuses, are errors.
 * @throws DeliveryError `url.refused`, `host.unknown`, `address.refused`, `connect.failed`, `timeout`, `status`
 */
export async function sendBounded(
  gate: EgressGate,
  url: string,
  { method, headers, body }: BoundedRequest,
  limits: AnswerLimits & { readonly accepts: (status: number) => boolean },
): Promise<BoundedAnswer> {
  const signal = AbortSignal.timeout(limits.timeoutMs);
  const stop = new AbortController();
  try {
    // A lookup can't be aborted; its result is ignored.
    const target = await Promise.race([gate.pin(url), timedOut(signal)]);
    const request = await openRequest(target, {
      method,
      headers: { 'user-agent': 'writ/1', ...headers },
      signal: AbortSignal.any([signal, stop.signal]),
    });
    return await new Promise<BoundedAnswer>((resolve, reject) => {
      request.on('error', reject);
      request.once('response', (response) => {
        const { statusCode: status = 0 } = response;
        if (!limits.accepts(status)) return reject(new DeliveryError('status'));
        const parts: Buffer[] = [];
        let bytes = 0;
        response.on('data', (part: Buffer) => {
          bytes += part.length;
          if (bytes > limits.bytesMax) return reject(new Error(`the answer has more than ${limits.bytesMax} bytes`));
          parts.push(part);
        });
        response.once('end', () =>
          resolve({ status, headers: response.headers, text: Buffer.concat(parts).toString('utf8') }),
        );
        // A connection that breaks in the middle ends without `end`.
        response.once('close', () => reject(new Error('the answer broke off')));
        response.on('error', reject);
      });
      request.end(body);
    });
  } catch (cause) {
    if (cause instanceof DeliveryError) throw cause;
    throw new DeliveryError(signal.aborted ? 'timeout' : 'connect.failed', { cause });
  } finally {
    // Ends the connection of an answer that is not read to its end.
    stop.abort();
  }
}
