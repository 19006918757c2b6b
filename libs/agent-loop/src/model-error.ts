// SPDX-License-Identifier: Apache-2.0

/** Why a model gave no reply, and whether a retry may help. */
export const MODEL_FAULTS = {
  rate_limited: { retry: true, why: 'the provider allows fewer requests or tokens than were asked (429)' },
  overloaded: { retry: true, why: 'the provider has no room now (529, 503)' },
  unavailable: { retry: true, why: 'the provider failed or was not reached' },
  interrupted: { retry: true, why: 'the stream ended before the reply was whole' },
  timeout: { retry: true, why: 'nothing came for longer than is waited' },
  malformed: { retry: true, why: "what came is not the provider's format" },
  context_exceeded: { retry: false, why: 'the conversation is longer than the model takes' },
  unauthorized: { retry: false, why: 'the provider does not take the key' },
  invalid: { retry: false, why: 'the provider does not take the request' },
} as const satisfies Record<string, { retry: boolean; why: string }>;
export type ModelFault = keyof typeof MODEL_FAULTS;

/** A model that gave no reply. */
export class ModelError extends Error {
  readonly fault: ModelFault;
  /** The wait that the provider requests; null if it doesn't. */
  readonly retryAfterMs: number | null;

  constructor(
    fault: ModelFault,
    message: string,
    { retryAfterMs = null, cause }: { retryAfterMs?: number | null; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ModelError';
    this.fault = fault;
    this.retryAfterMs = retryAfterMs;
  }
}

const CONTEXT = /context|too long|too many tokens|maximum.{0,20}tokens/i;

/**
 * The fault of a provider's HTTP status (RFC 9110 §15; 429 of RFC 6585, 529 as Anthropic uses it).
 *
 * @param text the body of the response, which alone distinguishes a conversation that is too long from another bad
 * request
 */
export function faultOfStatus(status: number, text: string): ModelFault {
  if (status === 429) return 'rate_limited';
  if (status === 529 || status === 503) return 'overloaded';
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 408 || status === 504) return 'timeout';
  if (status === 413) return 'context_exceeded';
  if (status >= 500) return 'unavailable';
  return status === 400 && CONTEXT.test(text) ? 'context_exceeded' : 'invalid';
}

/**
 * Parses a `Retry-After` header: seconds or an HTTP date (RFC 9110 §10.2.3).
 *
 * @returns milliseconds from `nowMs`, never negative; null if it is absent or neither of these
 */
export function readRetryAfter(value: string | null | undefined, nowMs: number): number | null {
  if (value === null || value === undefined) return null;
  if (/^\d+(?:\.\d+)?$/.test(value.trim())) return Math.round(Number(value) * 1000);
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
