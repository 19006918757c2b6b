// SPDX-License-Identifier: Apache-2.0
import { dateOf, dayOf, DAY_SECONDS, daysOfMonth } from '../time/civil.ts';
import { Unreadable } from './unreadable.ts';

/** A DATE or DATE-TIME as it is written: without its zone. */
export interface WrittenTime {
  /** a local time, in UTC for the kind `utc`; midnight for the kind `date` */
  readonly local: number;
  readonly kind: 'date' | 'local' | 'utc';
}

const DATE_TIME = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z)?)?$/;

/** @throws Unreadable for a text that is no DATE or DATE-TIME (RFC 5545, 3.3.4 and 3.3.5), or a date that is none */
export function parseWrittenTime(text: string): WrittenTime {
  const found = DATE_TIME.exec(text.trim());
  if (found === null) throw new Unreadable('a date or time is malformed');
  const [year, month, date, hour, minute, second] = found.slice(1, 7).map((part) => Number(part ?? 0)) as Six;
  const exists = year >= 1 && month >= 1 && month <= 12 && date >= 1 && date <= daysOfMonth(year, month);
  if (!exists || hour > 23 || minute > 59 || second > 60) throw new Unreadable('a date or time does not exist');
  // 3.3.12: who does without leap seconds takes the second 60 for 59.
  const local = dayOf(year, month, date) * DAY_SECONDS + hour * 3_600 + minute * 60 + Math.min(second, 59);
  return { local, kind: found[4] === undefined ? 'date' : found[7] === undefined ? 'local' : 'utc' };
}
type Six = [number, number, number, number, number, number];

/** A DURATION: days by the calendar, seconds by the clock. A week has seven days. */
export interface Duration {
  readonly days: number;
  readonly seconds: number;
}

const DURATION = /^([+-])?P(?:(\d{1,6})W|(?:(\d{1,7})D)?(?:T(?:(\d{1,8})H)?(?:(\d{1,9})M)?(?:(\d{1,10})S)?)?)$/;
/** As long as the years that can be written. */
const DAYS_MAX = 3_652_059;

/** @throws Unreadable for a text that is no DURATION (3.3.6), or a negative one */
export function parseDuration(text: string): Duration {
  const found = DURATION.exec(text.trim());
  if (found === null || found.slice(2).every((part) => part === undefined))
    throw new Unreadable('a duration is malformed');
  const [weeks, days, hours, minutes, seconds] = found.slice(2).map((part) => Number(part ?? 0)) as Five;
  const duration = { days: weeks * 7 + days, seconds: hours * 3_600 + minutes * 60 + seconds };
  if (duration.days + duration.seconds / DAY_SECONDS > DAYS_MAX) throw new Unreadable('a duration is too long');
  if (found[1] === '-' && duration.days + duration.seconds > 0) throw new Unreadable('a duration is negative');
  return duration;
}
type Five = [number, number, number, number, number];

/** @throws Unreadable for a text that is no UTC-OFFSET (3.3.14) of less than a day */
export function parseOffset(text: string): number {
  const found = /^([+-])(\d{2})([0-5]\d)([0-5]\d)?$/.exec(text.trim());
  const [hour, minute, second] = [found?.[2], found?.[3], found?.[4] ?? 0].map(Number) as [number, number, number];
  if (found === null || hour > 23) throw new Unreadable('an offset is malformed');
  return (found[1] === '-' ? -1 : 1) * (hour * 3_600 + minute * 60 + second);
}

/** The number of the month, for rules. */
export const monthIndexOf = (day: number): number => {
  const { year, month } = dateOf(day);
  return year * 12 + month - 1;
};
