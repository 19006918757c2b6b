// SPDX-License-Identifier: Apache-2.0
import { DeliveryError } from './delivery-error.ts';
import type { EgressGate } from './egress-gate.ts';
import { openRequest } from './open-request.ts';

/** The limits of one document. */
export interface DocumentLimits {
  readonly bytesMax: number;
  /** milliseconds from the DNS lookup to the last byte */
  readonly timeoutMs: number;
}

/**
 * Fetches a document as text, from a URL that a tenant chose. The gate checks the address. A redirect, any status but
 * 200, a longer document and a slower answer are errors.
 * @throws DeliveryError `url.refused`, `host.unknown`, `address.refused`, `connect.failed`, `timeout`, `status`
 */
export async function getDocument(gate: EgressGate, url: string, limits: DocumentLimits): Promise<string> {
  const signal = AbortSignal.timeout(limits.timeoutMs);
  const stop = new AbortController();
  try {
    // A lookup can't be aborted; its result is ignored.
    const target = await Promise.race([gate.pin(url), aborted(signal)]);
    const headers = { accept: 'application/json', 'user-agent': 'writ/1' };
    const request = await openRequest(target, {
      method: 'GET',
      headers,
      signal: AbortSignal.any([signal, stop.signal]),
    });
    return await new Promise<string>((resolve, reject) => {
      request.on('error', reject);
      request.once('response', (response) => {
        if (response.statusCode !== 200) return reject(new DeliveryError('status'));
        const parts: Buffer[] = [];
        let bytes = 0;
        response.on('data', (part: Buffer) => {
          bytes += part.length;
          if (bytes > limits.bytesMax) return reject(new Error(`the document has more than ${limits.bytesMax} bytes`));
          parts.push(part);
        });
        response.once('end', () => resolve(Buffer.concat(parts).toString('utf8')));
        // A connection that breaks in the middle ends without `end`.
        response.once('close', () => reject(new Error('the document broke off')));
        response.on('error', reject);
      });
      request.end();
    });
  } catch (cause) {
    if (cause instanceof DeliveryError) throw cause;
    throw new DeliveryError(signal.aborted ? 'timeout' : 'connect.failed', { cause });
  } finally {
    // Ends the connection of an answer that is not read to its end.
    stop.abort();
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
