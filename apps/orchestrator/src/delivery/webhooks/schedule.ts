// SPDX-License-Identifier: Apache-2.0

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * Pauses after each attempt that didn't arrive, in milliseconds: the schedule that Standard Webhooks gives as its
 * example, three days in all.
 */
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
/** Share of a pause by which it may be longer: what failed together needn't come back together. */
const JITTER = 0.2;
/** A server that asks for more patience than this gets this much. */
const ASKED_MAX_MS = 24 * HOUR;

export const ATTEMPTS_MAX = PAUSES_MS.length + 1;

/**
 * Milliseconds until the next attempt, or null when that was the last.
 * @param attempts made so far, the one that just failed included
 * @param chance from [0, 1)
 * @param askedMs what the server asked for (`Retry-After`), null for nothing
 */
export function retryMs(attempts: number, chance: number, askedMs: number | null): number | null {
  const pause = PAUSES_MS[attempts - 1];
  if (pause === undefined) return null;
  return Math.max(Math.round(pause * (1 + JITTER * chance)), Math.min(askedMs ?? 0, ASKED_MAX_MS));
}

/**
 * Milliseconds that a `Retry-After` asks for, in seconds or as a date (RFC 9110 §10.2.3); null for none that can be
 * read. `now` in milliseconds.
 */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
