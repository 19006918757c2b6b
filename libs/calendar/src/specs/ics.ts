// SPDX-License-Identifier: Apache-2.0
import type { CalendarFound } from '@writ/contract';
import { parseQuery, type CalendarSearch } from '../calendar-query.ts';
import { searchReply } from '../search-reply.ts';

/** A calendar of events, each of them given by its lines. A line may be several. */
export function calendarOf(...events: readonly (readonly string[])[]): string {
  const parts = events.map((lines) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'].join('\r\n'));
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//writ//spec', ...parts, 'END:VCALENDAR', ''].join('\r\n');
}

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Searches a calendar in the days from `from` until before `to`, in UTC unless they are times. */
export function search(
  ics: string | Uint8Array,
  [from, to]: readonly [string, string],
  options: Partial<CalendarSearch> = {},
): CalendarFound {
  const instant = (text: string): string => (text.includes('T') ? text : `${text}T00:00:00Z`);
  const query = parseQuery({ from: instant(from), to: instant(to) }, { limit: 500, ...options });
  return searchReply({ format: 'ics', body: typeof ics === 'string' ? bytesOf(ics) : ics, query });
}

/** The starts that a search finds. */
export const startsOf = (...args: Parameters<typeof search>): string[] =>
  search(...args).events.map(({ start }) => start);
