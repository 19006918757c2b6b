// SPDX-License-Identifier: Apache-2.0
import type { EgressGate } from './egress-gate.ts';
import { sendBounded, type AnswerLimits } from './send-bounded.ts';

/** The part of `fetch` that libraries use, for requests to URLs that tenants choose. */
export type GatedFetch = (
  url: string,
  request: {
    readonly method: 'GET' | 'POST';
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: URLSearchParams | undefined;
  },
) => Promise<Response>;

/** A `fetch` behind the gate, which follows no redirect and is bounded in bytes and time. */
export const gatedFetch =
  (gate: EgressGate, limits: AnswerLimits): GatedFetch =>
  async (url, { method, headers, body }) => {
    const sent = body === undefined ? { method, headers } : { method, headers, body: body.toString() };
    const { status, headers: received, text } = await sendBounded(gate, url, sent, { ...limits, accepts: isFinal });
    const { 'content-type': type } = received;
    return new Response(isEmpty(status) ? null : text, {
      status,
      headers: type === undefined ? {} : { 'content-type': type },
    });
  };

/** A `Response` takes no other status. */
const isFinal = (status: number): boolean => status >= 200 && status < 600;
const isEmpty = (status: number): boolean => status === 204 || status === 205 || status === 304;
