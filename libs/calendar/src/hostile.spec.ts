// SPDX-License-Identifier: Apache-2.0
import { CalendarError } from './calendar-error.ts';
import { STEP_LIMITS } from './find-events.ts';
import { CALENDAR_LIMITS } from './ics/read-calendar.ts';
import { bytesOf, calendarOf, search } from './specs/ics.ts';

const YEARS = ['2020-01-01', '2029-12-31'] as const;
const HOUR = ['2026-06-01T09:00:00Z', '2026-06-01T10:00:00Z'] as const;
const reasonOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return error instanceof CalendarError ? error.reason : String(error);
  }
  return 'no error';
};
/** Far above what the budget takes, on a machine that does other things. */
const LIMIT_MS = 30_000;
const upTo = (end: number): string => [...Array(end).keys()].join(',');
const EACH_SECOND = `BYHOUR=${upTo(24)};BYMINUTE=${upTo(60)};BYSECOND=${upTo(60)}`;

test.each<[what: string, rule: string]>([
  ['each second', 'FREQ=SECONDLY'],
  ['four thousand million times', 'FREQ=SECONDLY;COUNT=4000000000'],
  ['as often, in some seconds', 'FREQ=SECONDLY;COUNT=4000000000;BYSECOND=1,2,3'],
  ['in each second of each weekday of a year', `FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;${EACH_SECOND}`],
  ['in the last second of a month that is named by its place', `FREQ=MONTHLY;BYSETPOS=-1;BYDAY=MO;${EACH_SECOND}`],
  ['in odd seconds, counted in even ones', 'FREQ=SECONDLY;INTERVAL=2;BYSECOND=1'],
])(
  'a search among instances that repeat %s ends within its budget',
  (_, rule) => {
    const ics = calendarOf(['UID:s', 'DTSTART:19700101T000000Z', 'DURATION:PT1H', `RRULE:${rule}`]);
    const { events, unreadable } = search(ics, YEARS, { limit: 100 });
    expect(events.length).toBeLessThanOrEqual(100);
    expect(unreadable).toBe(0);
  },
  LIMIT_MS,
);

test('an event that repeats too often to be followed says so, and hides no other', () => {
  const rule = 'FREQ=SECONDLY;COUNT=4000000000;BYSECOND=1,2,3';
  const ics = calendarOf(
    ['UID:s', 'DTSTART:19700101T000000Z', `RRULE:${rule}`],
    ['UID:good', 'DTSTART:20260601T090000Z'],
  );
  expect(search(ics, HOUR)).toMatchObject({ events: [{ uid: 'good' }], truncated: true, unreadable: 0 });
});

test('an event of each second gives as many as the limit, and says that there are more', () => {
  const found = search(calendarOf(['UID:s', 'DTSTART:19700101T000000Z', 'RRULE:FREQ=SECONDLY']), HOUR, { limit: 3 });
  expect([found.events.map(({ start }) => start.slice(14, 19)), found.truncated]).toEqual([
    ['00:00', '00:01', '00:02'],
    true,
  ]);
});

test(
  'events that spend their whole budget end with the budget of the search',
  () => {
    const rule = 'RRULE:FREQ=SECONDLY;COUNT=4000000000;BYSECOND=1';
    const greedy = Array.from({ length: 2_000 }, (_, n) => [`UID:${n}`, 'DTSTART:19700101T000000Z', rule]);
    expect(2_000 * STEP_LIMITS.series).toBeGreaterThan(STEP_LIMITS.search);
    expect(search(calendarOf(...greedy), HOUR)).toMatchObject({ events: [], truncated: true });
  },
  LIMIT_MS,
);

test(
  'ten thousand events that recur daily are searched, with the earliest first',
  () => {
    const events = Array.from({ length: 10_000 }, (_, n) => [
      `UID:${n}`,
      `DTSTART;TZID=Europe/Berlin:20250101T${String(n % 24).padStart(2, '0')}0000`,
      'RRULE:FREQ=DAILY',
    ]);
    const found = search(calendarOf(...events), ['2026-06-01', '2026-06-08'], { limit: 10 });
    expect(new Set(found.events.map(({ start }) => start))).toEqual(new Set(['2026-06-01T02:00:00+02:00']));
    expect(found.truncated).toBe(true);
  },
  LIMIT_MS,
);

test(
  'an event with ten thousand changes of this and future instances is searched',
  () => {
    const day = (n: number) => new Date(Date.UTC(2020, 0, 1 + n)).toISOString().slice(0, 10).replaceAll('-', '');
    const changes = Array.from({ length: 10_000 }, (_, n) => [
      'UID:s',
      `SUMMARY:${n}`,
      `RECURRENCE-ID;RANGE=THISANDFUTURE:${day(n)}T090000Z`,
      `DTSTART:${day(n)}T093000Z`,
    ]);
    const ics = calendarOf(['UID:s', 'DTSTART:20200101T090000Z', 'RRULE:FREQ=MINUTELY;INTERVAL=30'], ...changes);
    const { events } = search(ics, HOUR);
    expect(events.map(({ summary, start }) => [summary, start.slice(11, 16)])).toEqual([
      ['2342', '09:00'],
      ['2343', '09:30'],
    ]);
  },
  LIMIT_MS,
);

test('zones whose rules repeat too often make their events unreadable', () => {
  const part =
    'BEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0000\r\nTZOFFSETTO:+0100\r\nRRULE:FREQ=SECONDLY\r\nEND:STANDARD';
  const ics = calendarOf(['UID:z', 'DTSTART;TZID=Z1:20260601T090000']);
  const zone = `BEGIN:VTIMEZONE\r\nTZID:Z1\r\n${part}\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT`;
  expect(search(ics.replace('BEGIN:VEVENT', zone), HOUR)).toMatchObject({ events: [], unreadable: 1 });
});

test('texts and lists of an event are cut', () => {
  const ics = calendarOf([
    'UID:u',
    `SUMMARY:${'\\n'.repeat(1_000_000)}`,
    `DESCRIPTION:${'😀'.repeat(100_000)}`,
    'DTSTART:20260601T090000Z',
    ...Array.from({ length: 1_000 }, (_, n) => `ATTENDEE;CN=${'x'.repeat(2_000)}:mailto:${n}@example.org`),
  ]);
  const [event] = search(ics, HOUR).events;
  expect([event!.summary!.length, event!.attendees.length, event!.attendees[0]!.name!.length]).toEqual([
    1_024, 200, 1_024,
  ]);
  expect(event!.description).toMatch(/^(?:😀){4095}…$/u);
});

test.each<[what: string, ics: string]>([
  ['nothing', ''],
  ['a web page', '<!doctype html><html></html>'],
  ['a calendar that ends early', calendarOf(['UID:u', 'DTSTART:20260601T090000Z']).replace('END:VCALENDAR', '')],
  ['an event that does not end', 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nEND:VCALENDAR\r\n'],
  ['an event without a calendar', 'BEGIN:VEVENT\r\nEND:VEVENT\r\n'],
  ['an end without a begin', `END:VCALENDAR\r\n${calendarOf()}`],
  ['deep nesting', `BEGIN:VCALENDAR\r\n${'BEGIN:X\r\n'.repeat(100_000)}`],
])('%s is malformed', (_, ics) => {
  expect(reasonOf(() => search(ics, HOUR))).toBe('malformed');
});

test('more bytes or events than are read are too large', () => {
  expect(reasonOf(() => search(new Uint8Array(CALENDAR_LIMITS.bytes + 1), HOUR))).toBe('too_large');
  const events = 'BEGIN:VEVENT\r\nEND:VEVENT\r\n'.repeat(CALENDAR_LIMITS.events + 1);
  expect(reasonOf(() => search(`BEGIN:VCALENDAR\r\n${events}END:VCALENDAR\r\n`, HOUR))).toBe('too_large');
});

test.each<[what: string, line: string]>([
  ['one long value', `SUMMARY:${'x'.repeat(8_000_000)}`],
  ['one line folded after each character', `SUMMARY:${'\r\n x'.repeat(2_000_000)}`],
  ['many parameters', `DTSTART${';A=1'.repeat(2_000_000)}:20260601T090000Z`],
  ['many values of a parameter', `ATTENDEE;MEMBER=${'"a",'.repeat(1_500_000)}"a":mailto:a@example.org`],
  ['many quotes that do not end', `ATTENDEE;A="${';A='.repeat(2_000_000)}`],
  ['many carets', `ATTENDEE;CN=${'^'.repeat(6_000_000)}:mailto:a@example.org`],
  ['many backslashes', `DESCRIPTION:${'\\'.repeat(6_000_000)}`],
  ['many excluded dates', `EXDATE:${'20260601T080000Z,'.repeat(400_000)}20260601T080000Z`],
  ['many added dates', `RRULE:FREQ=DAILY\r\nRDATE:${'20260601T080000Z,'.repeat(400_000)}20260601T080000Z`],
  ['many lines without a colon', 'ATTENDEE;A\r\n'.repeat(600_000)],
])(
  'an event with %s is searched in time that grows with its length',
  (_, line) => {
    const ics = calendarOf(['UID:u', 'DTSTART:20260601T090000Z', line]);
    expect(search(ics, HOUR)).toMatchObject({ events: [{ uid: 'u' }], unreadable: 0 });
  },
  LIMIT_MS,
);

test('a byte that is no UTF-8 is replaced, and a mark of byte order is skipped', () => {
  const bytes = bytesOf(`\uFEFF${calendarOf(['UID:u', 'SUMMARY:x!', 'DTSTART:20260601T090000Z'])}`);
  bytes[bytes.indexOf(0x21)] = 0xff;
  expect(search(bytes, HOUR).events).toMatchObject([{ summary: 'x\uFFFD' }]);
});
