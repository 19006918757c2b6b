// SPDX-License-Identifier: Apache-2.0
import { Fault, HEADERS } from '@writ/contract';
import type { BusHeaders } from './bus.ts';

/**
 * Returns the milliseconds that are left until the deadline.
 * @throws Fault `deadline` when none are left.
 */
export function verifyTimeLeft(deadline: number, now: number): number {
  const remaining = deadline - now;
  if (!(remaining > 0)) throw new Fault('deadline');
  return remaining;
}

/**
 * Reads the deadline of a received message: null when it carries none.
 * @throws Fault `request.malformed` when it isn't a time.
 */
export function parseDeadline(headers: BusHeaders): number | null {
  const text = headers[HEADERS.deadline];
  if (text === undefined) return null;
  // Sixteen digits reach past the largest safe integer; longer texts are not times.
  if (!/^\d{1,16}$/.test(text))
    throw new Fault('request.malformed', `header \`${HEADERS.deadline}\` must be epoch milliseconds`);
  return Number(text);
}

/** Writes the headers of a request: the caller's, and the deadline. */
export function requestHeaders(headers: BusHeaders | undefined, deadline: number): Record<string, string> {
  return { ...headers, [HEADERS.deadline]: String(Math.floor(deadline)) };
}
