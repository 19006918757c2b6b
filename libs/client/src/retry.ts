// SPDX-License-Identifier: Apache-2.0

/** The first longest pause, which doubles with each attempt, and the longest one of all, in milliseconds. */
const PAUSE_FIRST_MS = 250;
const PAUSE_MAX_MS = 8_000;
/** Answers of a proxy that stands before Writ: they say nothing about what happened behind it. */
const OF_PROXIES: ReadonlySet<number> = new Set([408, 502, 503, 504]);
const TOO_MANY_REQUESTS = 429;

/** What is known after an attempt that did not succeed. */
export interface FailedAttempt {
  /** the status of the answer; null: there was none */
  readonly status: number | null;
  /** what the problem in the answer says; null: the answer was no problem, or there was none */
  readonly retry: 'never' | 'later' | 'same-key' | null;
  /** the header `Retry-After` */
  readonly retryAfter: string | null;
  /** whether the same request may arrive twice: it only reads, or has an idempotency key */
  readonly canRepeat: boolean;
  /** attempts before this one */
  readonly attempt: number;
  /** retries that are allowed in all */
  readonly retries: number;
  /** milliseconds that are left for the request with all of its attempts; null: no limit */
  readonly leftMs: number | null;
  /** from 0 to 1 */
  readonly chance: number;
  /** milliseconds since the epoch, for a `Retry-After` that is a date */
  readonly now: number;
}

/**
 * Milliseconds to wait before the next attempt; null: there is none. INVARIANT (never twice): a request that may have
 * arrived is repeated only where it may arrive twice.
 */
export function decideRetry(failed: FailedAttempt): number | null {
  if (failed.attempt >= failed.retries || !mayRetry(failed)) return null;
  // Full jitter: clients that failed together come back apart. It goes on top of what the server asks for.
  const pause = failed.chance * Math.min(PAUSE_MAX_MS, PAUSE_FIRST_MS * 2 ** failed.attempt);
  const wait = Math.round((retryAfterMs(failed.retryAfter, failed.now) ?? 0) + pause);
  return failed.leftMs !== null && wait >= failed.leftMs ? null : wait;
}

function mayRetry({ status, retry, canRepeat }: FailedAttempt): boolean {
  if (retry === 'later') return true;
  if (retry === 'same-key') return canRepeat;
  if (retry === 'never') return false;
  if (status === null) return canRepeat;
  return status === TOO_MANY_REQUESTS || (OF_PROXIES.has(status) && canRepeat);
}

/** Whether the request may have happened after an attempt with this answer. */
export function mayHaveHappened({ status, retry }: Pick<FailedAttempt, 'status' | 'retry'>): boolean {
  if (retry !== null) return retry === 'same-key';
  return status === null || OF_PROXIES.has(status);
}

/** The milliseconds of a header `Retry-After`, which has seconds or a date (RFC 9110 §10.2.3); null without one. */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
