// SPDX-License-Identifier: Apache-2.0
import type { EgressGate } from './egress-gate.ts';
import { sendBounded, type AnswerLimits } from './send-bounded.ts';

/** A cluster serves its keys as `application/jwk-set+json` alone, and refuses whoever accepts only JSON. */
export const DOCUMENT_ACCEPT = 'application/json, application/jwk-set+json';

/**
 * Fetches a document as text, from a URL that a tenant chose. The gate checks the address. A redirect, any status but
 * 200, a longer document and a slower answer are errors.
 * @throws DeliveryError `url.refused`, `host.unknown`, `address.refused`, `connect.failed`, `timeout`, `status`
 */
export async function getDocument(gate: EgressGate, url: string, limits: AnswerLimits): Promise<string> {
  const request = { method: 'GET', headers: { accept: DOCUMENT_ACCEPT } } as const;
  const { text } = await sendBounded(gate, url, request, { ...limits, accepts: (status) => status === 200 });
  return text;
}
