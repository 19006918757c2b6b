// SPDX-License-Identifier: Apache-2.0
import { Unreadable } from '../ics/unreadable.ts';
import { parseWrittenTime, type WrittenTime } from '../ics/values.ts';

export const FREQUENCIES = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY'] as const;
export type Frequency = (typeof FREQUENCIES)[number];

export interface WeekdayNumber {
  /** 0 is Monday */
  readonly weekday: number;
  /** which one of the month or year, from its end if negative; 0: each */
  readonly nth: number;
}

/** A rule as it is written. Lists are sorted and without repetitions; an empty list says nothing. */
export interface Rule {
  readonly frequency: Frequency;
  readonly interval: number;
  readonly count: number | null;
  readonly until: WrittenTime | null;
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly weekdays: readonly WeekdayNumber[];
  readonly monthDays: readonly number[];
  readonly yearDays: readonly number[];
  readonly weeks: readonly number[];
  readonly months: readonly number[];
  readonly positions: readonly number[];
  /** the weekday that weeks begin on; 0 is Monday */
  readonly weekStart: number;
}

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
/** A rule of all 366 days of a year has less. */
const CHARS_MAX = 4_096;

/**
 * Reads an RRULE (RFC 5545, 3.3.10).
 * @throws Unreadable for what the grammar or its table of frequencies forbids, and for calendars of RFC 7529
 */
export function parseRule(text: string): Rule {
  if (text.length > CHARS_MAX) throw new Unreadable('a rule is too long');
  const parts = new Map<string, string>();
  for (const part of text.trim().toUpperCase().split(';')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = part.slice(0, equals);
    if (equals < 1 || parts.has(name)) throw new Unreadable('a rule is malformed');
    if (!PARTS.has(name) && !name.startsWith('X-')) throw new Unreadable('a rule has an unknown part');
    parts.set(name, part.slice(equals + 1));
  }
  const frequency = FREQUENCIES.find((name) => name === parts.get('FREQ'));
  if (frequency === undefined) throw new Unreadable('a rule has no frequency');
  const until = parts.get('UNTIL');
  const rule: Rule = {
    frequency,
    interval: whole(parts.get('INTERVAL') ?? '1'),
    count: parts.has('COUNT') ? whole(parts.get('COUNT') ?? '') : null,
    until: until === undefined ? null : parseWrittenTime(until),
    seconds: numbers(parts.get('BYSECOND'), 0, 60).map((second) => Math.min(second, 59)),
    minutes: numbers(parts.get('BYMINUTE'), 0, 59),
    hours: numbers(parts.get('BYHOUR'), 0, 23),
    weekdays: weekdayNumbers(parts.get('BYDAY')),
    monthDays: numbers(parts.get('BYMONTHDAY'), -31, 31, 'no zero'),
    yearDays: numbers(parts.get('BYYEARDAY'), -366, 366, 'no zero'),
    weeks: numbers(parts.get('BYWEEKNO'), -53, 53, 'no zero'),
    months: numbers(parts.get('BYMONTH'), 1, 12),
    positions: numbers(parts.get('BYSETPOS'), -366, 366, 'no zero'),
    weekStart: parts.has('WKST') ? WEEKDAYS.indexOf(parts.get('WKST') ?? '') : 0,
  };
  checkCombination(rule);
  return rule;
}

const PARTS = new Set(
  'FREQ INTERVAL COUNT UNTIL BYSECOND BYMINUTE BYHOUR BYDAY BYMONTHDAY BYYEARDAY BYWEEKNO BYMONTH BYSETPOS WKST'.split(
    ' ',
  ),
);

/** The table of 3.3.10: what a frequency may not be combined with. */
function checkCombination(rule: Rule): void {
  const { frequency, weekdays, weeks, monthDays, yearDays, weekStart } = rule;
  if (weekStart < 0) throw new Unreadable('a rule begins weeks on no weekday');
  if (weeks.length > 0 && frequency !== 'YEARLY') throw new Unreadable('only a yearly rule has weeks of the year');
  if (monthDays.length > 0 && frequency === 'WEEKLY') throw new Unreadable('a weekly rule has no days of the month');
  if (yearDays.length > 0 && ['DAILY', 'WEEKLY', 'MONTHLY'].includes(frequency))
    throw new Unreadable('only a yearly rule, or one within days, has days of the year');
  if (weekdays.some(({ nth }) => nth !== 0)) {
    const counted = (frequency === 'YEARLY' && weeks.length === 0) || frequency === 'MONTHLY';
    if (!counted) throw new Unreadable('only a monthly or yearly rule counts weekdays');
  }
}

/** A number of at least 1. Larger ones than can be counted are the largest: nothing repeats as often. */
function whole(text: string): number {
  const value = /^\d{1,32}$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : 0;
  if (value < 1) throw new Unreadable('a count or an interval of a rule is malformed');
  return value;
}

function numbers(text: string | undefined, least: number, most: number, zero?: 'no zero'): number[] {
  if (text === undefined) return [];
  const values = text.split(',').map((part) => (/^[+-]?\d{1,3}$/.test(part) ? Number(part) : NaN));
  if (!values.every((value) => value >= least && value <= most && !(zero !== undefined && value === 0)))
    throw new Unreadable('a list of a rule has a number that it may not have');
  return [...new Set(values)].sort((a, b) => a - b);
}

function weekdayNumbers(text: string | undefined): WeekdayNumber[] {
  if (text === undefined) return [];
  return text.split(',').map((part) => {
    const found = /^([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/.exec(part);
    const nth = Number(found?.[1] ?? 0);
    if (found === null || Math.abs(nth) > 53 || (found[1] !== undefined && nth === 0))
      throw new Unreadable('a rule has an unknown weekday');
    return { weekday: WEEKDAYS.indexOf(found[2] ?? ''), nth };
  });
}
