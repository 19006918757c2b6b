// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';

/**
 * The instant that a query parameter names, in milliseconds. The schema says how it is written. A date that doesn't
 * exist is refused here. @throws Fault `request.malformed`
 */
export function instantOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const instant = Date.parse(text);
  if (!Number.isSafeInteger(instant) || instant < 0)
    throw new Fault(
      'request.malformed',
      `query parameter \`${name}\` is no moment after 1970: write one such as \`2026-01-31T09:30:00Z\``,
    );
  return instant;
}

/** @throws Fault `request.malformed` where no moment is within */
export function requireRange(since: number | undefined, until: number | undefined): void {
  if (since !== undefined && until !== undefined && until <= since)
    throw new Fault('request.malformed', 'query parameter `until` must be later than `since`');
}
