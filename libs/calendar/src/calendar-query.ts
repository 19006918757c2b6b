// SPDX-License-Identifier: Apache-2.0
import { CALENDAR_QUERY_LIMITS } from '@writ/contract';
import { CalendarError } from './calendar-error.ts';
import { ianaZone } from './time/zone.ts';

/** From `from` until before `to`, as RFC 3339 writes times with an offset. */
export interface CalendarRange {
  readonly from: string;
  readonly to: string;
}

export interface CalendarSearch {
  /** only events whose summary, description or location contains it, in any case */
  readonly text?: string | undefined;
  /** events at most, 1 to `CALENDAR_QUERY_LIMITS.events` */
  readonly limit: number;
  /** the IANA zone of times without a zone and of whole days; absent: that of the calendar, or UTC */
  readonly floating_zone?: string | undefined;
}

/** A search that was checked. Times are seconds since 1970, in UTC. */
export interface ParsedQuery {
  readonly from: number;
  readonly to: number;
  readonly text: string | null;
  readonly limit: number;
  readonly floatingZone: string | null;
}

const INSTANT = /^(\d{4})-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** @throws CalendarError `invalid_query`, which says what is wrong with which member */
export function parseQuery({ from, to }: CalendarRange, { text, limit, floating_zone }: CalendarSearch): ParsedQuery {
  const first = instantOf('from', from);
  const end = instantOf('to', to);
  if (end <= first) throw new CalendarError('invalid_query', '`to` is not after `from`');
  if (end - first > CALENDAR_QUERY_LIMITS.days * 86_400)
    throw new CalendarError(
      'invalid_query',
      `the range is longer than ${CALENDAR_QUERY_LIMITS.days} days: ask for less`,
    );
  if (!Number.isInteger(limit) || limit < 1 || limit > CALENDAR_QUERY_LIMITS.events)
    throw new CalendarError('invalid_query', `\`limit\` is a number from 1 to ${CALENDAR_QUERY_LIMITS.events}`);
  if (text !== undefined && (text === '' || text.length > CALENDAR_QUERY_LIMITS.textChars))
    throw new CalendarError('invalid_query', `\`text\` has 1 to ${CALENDAR_QUERY_LIMITS.textChars} characters`);
  if (floating_zone !== undefined && ianaZone(floating_zone) === null)
    throw new CalendarError('invalid_query', '`floating_zone` is no time zone of IANA, such as `Europe/Berlin`');
  return { from: first, to: end, text: text ?? null, limit, floatingZone: floating_zone ?? null };
}

/** Fractions of a second are cut: calendars have none. */
function instantOf(name: string, text: string): number {
  const found = INSTANT.exec(text);
  const milliseconds = found === null || found[1] === '0000' ? NaN : Date.parse(text.toUpperCase());
  if (Number.isNaN(milliseconds) || !dateExists(text))
    throw new CalendarError('invalid_query', `\`${name}\` is no time like \`2026-03-29T09:00:00+02:00\``);
  return Math.floor(milliseconds / 1_000);
}

/** `Date.parse` takes 30 February for a day of March. */
function dateExists(text: string): boolean {
  const date = text.slice(0, 10);
  const parsed = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(parsed) && new Date(parsed).toISOString().startsWith(date);
}
