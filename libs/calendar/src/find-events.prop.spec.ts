// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { Value } from 'typebox/value';
import { CalendarError } from './calendar-error.ts';
import { CalendarFound, type CalendarEvent } from '@writ/contract';
import { calendars, hourRange } from './specs/calendars.ts';
import { calendarOf, search } from './specs/ics.ts';

const atHour = (hour: number): string => `${new Date(hour * 3_600_000).toISOString().slice(0, 19)}Z`;
const isIn =
  (first: number, last: number) =>
  ({ start, end }: CalendarEvent): boolean => {
    const [starts, ends, from, to] = [Date.parse(start), Date.parse(end), first * 3_600_000, last * 3_600_000];
    return starts < to && (ends > from || (starts === ends && starts >= from));
  };

test('a search of a range is the search of a longer one, without what is outside', () => {
  fc.assert(
    fc.property(calendars, hourRange, fc.integer({ min: 0, max: 60 }), (ics, [from, to], more) => {
      const wide = search(ics, [atHour(from - more), atHour(to + more)]);
      fc.pre(!wide.truncated);
      expect(search(ics, [atHour(from), atHour(to)]).events).toEqual(wide.events.filter(isIn(from, to)));
    }),
    { numRuns: 1_000 },
  );
});

test('events are of the shape that the schema says, sorted, in the range, and do not end before they start', () => {
  fc.assert(
    fc.property(calendars, hourRange, fc.integer({ min: 1, max: 20 }), (ics, [from, to], limit) => {
      const found = search(ics, [atHour(from), atHour(to)], { limit });
      expect(Value.Check(CalendarFound, found)).toBe(true);
      expect(found.events.length).toBeLessThanOrEqual(limit);
      const starts = found.events.map(({ start }) => Date.parse(start));
      expect(starts).toEqual([...starts].sort((a, b) => a - b));
      expect(found.events.every(isIn(from, to))).toBe(true);
      expect(found.events.every(({ start, end }) => Date.parse(start) <= Date.parse(end))).toBe(true);
      const all = search(ics, [atHour(from), atHour(to)]);
      expect(found.events).toEqual(all.events.slice(0, limit));
      expect(found.truncated).toBe(all.truncated || all.events.length > limit);
    }),
    { numRuns: 300 },
  );
});

const LINES = [
  'BEGIN:VCALENDAR',
  'END:VCALENDAR',
  'BEGIN:VEVENT',
  'END:VEVENT',
  'BEGIN:VTIMEZONE',
  'END:VTIMEZONE',
  'BEGIN:STANDARD',
  'END:STANDARD',
  'TZID:Z',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:-2359',
  'UID:a',
  'DTSTART:20260101T090000Z',
  'DTSTART;TZID=Z:00010101T000000',
  'DTSTART;VALUE=DATE:99991231',
  'DTEND:99991231T235959Z',
  'DURATION:P9999999D',
  'DURATION:-PT0S',
  'RRULE:FREQ=DAILY;COUNT=99999999999999999999',
  'RRULE:FREQ=YEARLY;INTERVAL=99999999999;BYWEEKNO=-53',
  'RECURRENCE-ID;RANGE=THISANDFUTURE:20260101T090000Z',
  'RDATE;VALUE=PERIOD:20260101T090000Z/P1W',
  'EXDATE:20260101',
  ' folded',
  'SUMMARY;LANGUAGE="\\',
  'SEQUENCE:-1',
  'X-WR-TIMEZONE:constructor',
  'DTSTART;TZID=__proto__:20260101T090000',
];

test('any bytes give a result or an error that says what is wrong', () => {
  const lines = fc.array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...LINES) }, fc.string()), { maxLength: 40 });
  const framed = lines.map((list) => calendarOf(list.filter((line) => !/^(?:BEGIN|END)/.test(line))));
  const texts = fc.oneof(
    framed,
    lines.map((list) => list.join('\r\n')),
  );
  fc.assert(
    fc.property(fc.oneof(texts, fc.uint8Array({ maxLength: 200 })), (input) => {
      try {
        expect(Value.Check(CalendarFound, search(input, ['2025-12-01', '2026-02-01'], { text: 'f' }))).toBe(true);
        expect(Value.Check(CalendarFound, search(input, ['2025-12-01', '2026-02-01']))).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(CalendarError);
      }
    }),
    { numRuns: 2_000 },
  );
});
