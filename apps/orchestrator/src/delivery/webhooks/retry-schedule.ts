// SPDX-License-Identifier: Apache-2.0

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Pauses after each failed attempt, in milliseconds: the example schedule of Standard Webhooks, three days in all. */
const PAUSES_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;
/** Random extension of a pause, as a share of it, so that attempts that failed together aren't retried together. */
const JITTER = 0.2;
/** Longest pause that a server can request. */
const REQUESTED_MAX_MS = 24 * HOUR;

export const ATTEMPTS_MAX = PAUSES_MS.length + 1;

/**
 * Milliseconds until the next attempt, or null when that was the last.
 * @param attempts attempts made so far, including the one that just failed
 * @param chance a random number from [0, 1)
 * @param requestedMs the pause that the server requested (`Retry-After`), null for none
 */
export function retryMs(attempts: number, chance: number, requestedMs: number | null): number | null {
  const pause = PAUSES_MS[attempts - 1];
  if (pause === undefined) return null;
  return Math.max(Math.round(pause * (1 + JITTER * chance)), Math.min(requestedMs ?? 0, REQUESTED_MAX_MS));
}

/**
 * The pause of a `Retry-After` header in milliseconds, given in seconds or as a date (RFC 9110 §10.2.3); null where it
 * is missing or invalid. `now` in milliseconds.
 */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
