// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { dateOf, dayOf } from '../time/civil.ts';
import { calendarOf } from './ics.ts';

const numbers = (name: string, min: number, max: number): fc.Arbitrary<string> =>
  fc
    .array(
      fc.integer({ min, max }).filter((value) => value !== 0 || min === 0),
      { minLength: 1, maxLength: 3 },
    )
    .map((list) => `;${name}=${list.join(',')}`);
const perhaps = (part: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant('') }, part);
const weekdays = fc.subarray(['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], { minLength: 1 });
const joined = (...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((list) => list.join(''));

/** Rules that RFC 5545 allows. */
const rules: fc.Arbitrary<string> = joined(
  fc.oneof(
    joined(
      fc.constant('YEARLY'),
      perhaps(numbers('BYMONTH', 1, 12)),
      perhaps(fc.oneof(numbers('BYMONTHDAY', -31, 31), numbers('BYYEARDAY', -366, 366))),
      perhaps(weekdays.map((days) => `;BYDAY=${days.join(',')}`)),
    ),
    joined(
      fc.constant('MONTHLY'),
      perhaps(
        fc.tuple(fc.integer({ min: 1, max: 4 }), weekdays).map(([n, days]) => `;BYDAY=${n}${days[0]},-${n}${days[0]}`),
      ),
      perhaps(numbers('BYMONTHDAY', -31, 31)),
      perhaps(numbers('BYSETPOS', -2, 2)),
    ),
    joined(
      fc.constant('WEEKLY'),
      perhaps(weekdays.map((days) => `;BYDAY=${days.join(',')}`)),
      perhaps(fc.constant(';WKST=SU')),
    ),
    joined(fc.constant('DAILY'), perhaps(numbers('BYHOUR', 0, 23)), perhaps(numbers('BYMONTH', 1, 12))),
    joined(fc.constant('HOURLY'), perhaps(numbers('BYHOUR', 0, 23)), perhaps(numbers('BYMINUTE', 0, 59))),
  ),
  perhaps(fc.integer({ min: 2, max: 5 }).map((n) => `;INTERVAL=${n}`)),
  perhaps(
    fc.oneof(
      fc.integer({ min: 1, max: 60 }).map((n) => `;COUNT=${n}`),
      fc.constant(';UNTIL=20260901T000000Z'),
    ),
  ),
).map((rule) => `FREQ=${rule}`);

const day = fc.integer({ min: dayOf(2025, 1, 1), max: dayOf(2027, 12, 31) });
const textOf = (at: number): string => {
  const { year, month, date } = dateOf(at);
  return [year, month, date].map((part) => String(part).padStart(2, '0')).join('');
};
const isoOf = (at: number): string => textOf(at).replace(/^(....)(..)(..)$/, '$1-$2-$3');
const zones = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata');
const event = fc
  .record({
    at: day,
    hour: fc.integer({ min: 0, max: 23 }),
    zone: zones,
    hours: fc.integer({ min: 0, max: 100 }),
    rule: perhaps(rules.map((rule) => `RRULE:${rule}`)),
    without: fc.array(day, { maxLength: 2 }),
    whole: fc.boolean(),
  })
  .map(({ at, hour, zone, hours, rule, without, whole }) => {
    const time = `T${String(hour).padStart(2, '0')}3000`;
    return [
      whole ? `DTSTART;VALUE=DATE:${textOf(at)}` : `DTSTART;TZID=${zone}:${textOf(at)}${time}`,
      whole ? `DURATION:P${(hours % 4) + 1}D` : `DURATION:PT${hours}H`,
      // A day has no hours to repeat in.
      ...(rule === '' || (whole && rule.includes('HOUR')) ? [] : [rule]),
      ...without.map((date) => `EXDATE;TZID=${zone}:${textOf(date)}${time}`),
    ];
  });
/** Calendars of a few events, of all that recurs and of daylight saving time. */
export const calendars = fc
  .array(event, { minLength: 1, maxLength: 4 })
  .map((events) => calendarOf(...events.map((lines, n) => [`UID:${n}`, ...lines])));
/** A first day, and the day after the last. */
export const range = fc
  .tuple(day, fc.integer({ min: 1, max: 60 }))
  .map(([first, days]) => [isoOf(first), isoOf(first + days)] as const);

/** Hours since 1970, from the first until before the second. */
export const hourRange = fc
  .tuple(day, fc.integer({ min: 0, max: 23 }), fc.integer({ min: 1, max: 300 }))
  .map(([first, hour, hours]) => [first * 24 + hour, first * 24 + hour + hours] as const);
