// SPDX-License-Identifier: Apache-2.0
import { calendarOf, search, startsOf } from './specs/ics.ts';

const BERLIN = 'TZID=Europe/Berlin';
const YEAR = ['2026-01-01', '2027-01-01'] as const;

test('an event of its own has its texts, its times with the offset of its zone, and its people', () => {
  const ics = calendarOf([
    'UID:one@example.org',
    'SUMMARY:Design\\, then lunch\\nwith all',
    'DESCRIPTION:A long de',
    ' scription',
    'LOCATION:Room 7',
    `DTSTART;${BERLIN}:20260701T090000`,
    'DURATION:PT1H30M',
    'STATUS:TENTATIVE',
    'ORGANIZER;CN="Ada; L.":mailto:ada@example.org',
    "ATTENDEE;PARTSTAT=ACCEPTED;CN=Bob ^n^'B^':MAILTO:bob@example.org",
    'ATTENDEE:mailto:eve@example.org',
    'URL:https://example.org/one',
    'BEGIN:VALARM\r\nDESCRIPTION:not this\r\nEND:VALARM',
  ]);
  expect(search(ics, YEAR)).toEqual({
    events: [
      {
        uid: 'one@example.org',
        recurrence_id: null,
        summary: 'Design, then lunch\nwith all',
        description: 'A long description',
        location: 'Room 7',
        start: '2026-07-01T09:00:00+02:00',
        end: '2026-07-01T10:30:00+02:00',
        all_day: false,
        time_zone: 'Europe/Berlin',
        status: 'tentative',
        organizer: { name: 'Ada; L.', address: 'ada@example.org' },
        attendees: [
          { name: 'Bob \n"B"', address: 'bob@example.org', response: 'accepted' },
          { name: null, address: 'eve@example.org', response: null },
        ],
        url: 'https://example.org/one',
      },
    ],
    truncated: false,
    unreadable: 0,
  });
});

describe('across the changes of daylight saving time', () => {
  test('a weekly event at 09:00 in Berlin stays at 09:00', () => {
    const ics = calendarOf(['UID:w', `DTSTART;${BERLIN}:20260319T090000`, 'RRULE:FREQ=WEEKLY;COUNT=3']);
    expect(startsOf(ics, YEAR)).toEqual([
      '2026-03-19T09:00:00+01:00',
      '2026-03-26T09:00:00+01:00',
      '2026-04-02T09:00:00+02:00',
    ]);
  });

  test('an instance at 02:30 on the day without a 02:30 is at 03:30', () => {
    const ics = calendarOf(['UID:g', `DTSTART;${BERLIN}:20260328T023000`, 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=3']);
    expect(search(ics, YEAR).events.map(({ start, end }) => [start, end])).toEqual([
      ['2026-03-28T02:30:00+01:00', '2026-03-28T03:30:00+01:00'],
      ['2026-03-29T03:30:00+02:00', '2026-03-29T04:30:00+02:00'],
      ['2026-03-30T02:30:00+02:00', '2026-03-30T03:30:00+02:00'],
    ]);
  });

  test('an instance at 02:30 on the day with two of them is at the first', () => {
    const ics = calendarOf(['UID:o', `DTSTART;${BERLIN}:20261024T023000`, 'RRULE:FREQ=DAILY;COUNT=3']);
    expect(startsOf(ics, YEAR)).toEqual([
      '2026-10-24T02:30:00+02:00',
      '2026-10-25T02:30:00+02:00',
      '2026-10-26T02:30:00+01:00',
    ]);
  });

  test('a DURATION of a day ends at the same time of day, and an end a day later is 24 hours long', () => {
    const at = (uid: string, line: string) => [`UID:${uid}`, `DTSTART;${BERLIN}:20260328T120000`, line];
    const ics = calendarOf(at('nominal', 'DURATION:P1D'), [
      ...at('exact', `DTEND;${BERLIN}:20260329T120000`),
      'RRULE:FREQ=DAILY;COUNT=2',
    ]);
    expect(search(ics, YEAR).events.map(({ uid, end }) => [uid, end])).toEqual([
      ['nominal', '2026-03-29T12:00:00+02:00'],
      ['exact', '2026-03-29T12:00:00+02:00'],
      ['exact', '2026-03-30T11:00:00+02:00'],
    ]);
  });

  test('a zone that only the calendar defines is followed by its rules, and has no name', () => {
    const part = (name: string, month: number, from: string, to: string) =>
      [
        `BEGIN:${name}`,
        'DTSTART:16010101T020000',
        `TZOFFSETFROM:${from}`,
        `TZOFFSETTO:${to}`,
        `RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=${month}`,
        `END:${name}`,
      ].join('\r\n');
    const zone = `BEGIN:VTIMEZONE\r\nTZID:Our Time\r\n${part('STANDARD', 10, '+0530', '+0430')}\r\n${part('DAYLIGHT', 3, '+0430', '+0530')}\r\nEND:VTIMEZONE`;
    const event = calendarOf(['UID:v', 'DTSTART;TZID=Our Time:20260326T090000', 'RRULE:FREQ=WEEKLY;COUNT=2']);
    const { events } = search(event.replace('BEGIN:VEVENT', `${zone}\r\nBEGIN:VEVENT`), YEAR);
    expect(events.map(({ start, time_zone }) => [start, time_zone])).toEqual([
      ['2026-03-26T09:00:00+04:30', null],
      ['2026-04-02T09:00:00+05:30', null],
    ]);
  });
});

describe('days and floating times', () => {
  const ics = calendarOf(
    ['UID:day', 'DTSTART;VALUE=DATE:20260329'],
    ['UID:trip', 'DTSTART;VALUE=DATE:20260328', 'DTEND;VALUE=DATE:20260331'],
    ['UID:float', 'DTSTART:20260329T120000', 'DTEND:20260329T130000'],
  );

  test('whole days begin at midnight of the zone that is asked for, and the end is exclusive', () => {
    const { events } = search(ics, ['2026-03-01', '2026-05-01'], { floating_zone: 'Europe/Berlin' });
    expect(events.map(({ uid, start, end, all_day }) => [uid, start, end, all_day])).toEqual([
      ['trip', '2026-03-28T00:00:00+01:00', '2026-03-31T00:00:00+02:00', true],
      ['day', '2026-03-29T00:00:00+01:00', '2026-03-30T00:00:00+02:00', true],
      ['float', '2026-03-29T12:00:00+02:00', '2026-03-29T13:00:00+02:00', false],
    ]);
  });

  test('without a zone that is asked for, that of the calendar counts, and UTC without one', () => {
    const floats = (text: string) => search(text, YEAR, {}).events.map(({ start, time_zone }) => [start, time_zone]);
    expect(floats(ics)[1]).toEqual(['2026-03-29T00:00:00+00:00', 'UTC']);
    expect(floats(ics.replace('VERSION', 'X-WR-TIMEZONE:Asia/Tokyo\r\nVERSION'))[1]).toEqual([
      '2026-03-29T00:00:00+09:00',
      'Asia/Tokyo',
    ]);
  });

  test('an event that lasts for days is found in the middle of them, and not after its end', () => {
    const between = (from: string, to: string) => search(ics, [from, to]).events.map(({ uid }) => uid);
    expect(between('2026-03-30', '2026-03-31')).toEqual(['trip']);
    expect(between('2026-03-31', '2026-04-02')).toEqual([]);
  });
});

describe('instances that differ', () => {
  const series = [
    'UID:s',
    'SUMMARY:Stand-up',
    `DTSTART;${BERLIN}:20260601T090000`,
    'DURATION:PT15M',
    'RRULE:FREQ=DAILY;COUNT=6',
  ];
  const found = (...events: string[][]) =>
    search(calendarOf(series, ...events), YEAR).events.map(({ start, status, summary }) => [
      start.slice(5, 16),
      status,
      summary,
    ]);

  test('a moved instance is at its new time alone, and a cancelled one says so', () => {
    expect(
      found(
        ['UID:s', 'SUMMARY:Moved', `RECURRENCE-ID;${BERLIN}:20260602T090000`, `DTSTART;${BERLIN}:20260605T140000`],
        [
          'UID:s',
          'SUMMARY:Off',
          'RECURRENCE-ID:20260603T070000Z',
          `DTSTART;${BERLIN}:20260603T090000`,
          'STATUS:CANCELLED',
        ],
      ),
    ).toEqual([
      ['06-01T09:00', 'confirmed', 'Stand-up'],
      ['06-03T09:00', 'cancelled', 'Off'],
      ['06-04T09:00', 'confirmed', 'Stand-up'],
      ['06-05T09:00', 'confirmed', 'Stand-up'],
      ['06-05T14:00', 'confirmed', 'Moved'],
      ['06-06T09:00', 'confirmed', 'Stand-up'],
    ]);
  });

  test('a change of this and future instances moves those from it on, and one of them can differ again', () => {
    expect(
      found(
        [
          'UID:s',
          'SUMMARY:Later',
          `RECURRENCE-ID;${BERLIN};RANGE=THISANDFUTURE:20260603T090000`,
          `DTSTART;${BERLIN}:20260603T103000`,
        ],
        ['UID:s', 'SUMMARY:Again', `RECURRENCE-ID;${BERLIN}:20260605T090000`, `DTSTART;${BERLIN}:20260605T080000`],
      ).map(([start, , summary]) => [start, summary]),
    ).toEqual([
      ['06-01T09:00', 'Stand-up'],
      ['06-02T09:00', 'Stand-up'],
      ['06-03T10:30', 'Later'],
      ['06-04T10:30', 'Later'],
      ['06-05T08:00', 'Again'],
      ['06-06T10:30', 'Later'],
    ]);
  });

  test('EXDATE removes instances in any zone, or of a day, and RDATE adds them with a length of their own', () => {
    const ics = calendarOf([
      ...series,
      'EXDATE:20260602T070000Z,20260603T070000Z',
      'EXDATE;VALUE=DATE:20260604',
      'RDATE;VALUE=PERIOD:20260610T100000Z/PT2H',
    ]);
    expect(search(ics, YEAR).events.map(({ start, end }) => [start.slice(5, 16), end.slice(5, 16)])).toEqual([
      ['06-01T09:00', '06-01T09:15'],
      ['06-05T09:00', '06-05T09:15'],
      ['06-06T09:00', '06-06T09:15'],
      ['06-10T12:00', '06-10T14:00'],
    ]);
  });

  test('UNTIL is inclusive, in UTC, in local time or as a day', () => {
    const count = (until: string) =>
      startsOf(calendarOf(['UID:u', `DTSTART;${BERLIN}:20260601T090000`, `RRULE:FREQ=DAILY;UNTIL=${until}`]), YEAR)
        .length;
    expect(['20260603T070000Z', '20260603T065959Z', '20260603T090000', '20260603'].map(count)).toEqual([3, 2, 3, 3]);
  });

  test('a series that ends before its start has no instance', () => {
    const ics = calendarOf(['UID:u', 'DTSTART:20260601T090000Z', 'RRULE:FREQ=DAILY;UNTIL=20260531T090000Z']);
    expect(startsOf(ics, YEAR)).toEqual([]);
  });

  test('a rule of whole days ignores times of day', () => {
    const ics = calendarOf(['UID:u', 'DTSTART;VALUE=DATE:20260601', 'RRULE:FREQ=DAILY;BYHOUR=9,12;COUNT=2']);
    expect(startsOf(ics, YEAR)).toEqual(['2026-06-01T00:00:00+00:00', '2026-06-02T00:00:00+00:00']);
  });

  test('an invitation to one instance is found without its series, and names its original start', () => {
    const ics = calendarOf(['UID:x', 'RECURRENCE-ID:20260601T100000Z', 'DTSTART:20260601T110000Z']);
    expect(search(ics, YEAR).events).toMatchObject([
      { start: '2026-06-01T11:00:00+00:00', recurrence_id: '2026-06-01T10:00:00+00:00' },
    ]);
  });

  test('of two versions of an event, the one with the higher sequence counts', () => {
    const version = (n: number) => ['UID:v', `SUMMARY:${n}`, `SEQUENCE:${n}`, 'DTSTART:20260601T100000Z'];
    expect(search(calendarOf(version(2), version(1)), YEAR).events).toMatchObject([{ summary: '2' }]);
  });
});

test('a text is looked for in summary, description and location, in any case', () => {
  const event = (uid: string, line: string) => [`UID:${uid}`, 'DTSTART:20260601T100000Z', line];
  const ics = calendarOf(
    event('a', 'SUMMARY:Größe messen'),
    event('b', 'DESCRIPTION:die GRÖSSE\\, und GRÖßE'),
    event('c', 'LOCATION:größe'),
    event('d', 'COMMENT:größe'),
  );
  expect(search(ics, YEAR, { text: 'GRÖße' }).events.map(({ uid }) => uid)).toEqual(['a', 'b', 'c']);
});

test('a limit keeps the earliest events of all, and says that there are more', () => {
  const ics = calendarOf(
    ['UID:late', 'DTSTART:20260605T100000Z', 'RRULE:FREQ=DAILY'],
    ['UID:early', 'DTSTART:20260604T100000Z'],
  );
  const { events, truncated } = search(ics, YEAR, { limit: 2 });
  expect([events.map(({ uid }) => uid), truncated]).toEqual([['early', 'late'], true]);
  expect(search(ics, ['2026-06-04', '2026-06-06'], { limit: 2 })).toMatchObject({ truncated: false });
});

test.each<[why: string, lines: string[]]>([
  ['has no start', []],
  ['starts on a day that does not exist', ['DTSTART:20260230T100000Z']],
  ['ends before it starts', ['DTSTART:20260601T100000Z', 'DTEND:20260601T090000Z']],
  ['is in a zone that nobody knows', ['DTSTART;TZID=Mars/Olympus:20260601T100000']],
  ['has a rule that is malformed', ['DTSTART:20260601T100000Z', 'RRULE:FREQ=NEVER']],
  ['has an excluded date that is malformed', ['DTSTART:20260601T100000Z', 'RRULE:FREQ=DAILY', 'EXDATE:soon']],
  ['repeats each hour of whole days', ['DTSTART;VALUE=DATE:20260601', 'RRULE:FREQ=HOURLY']],
  ['has an EXRULE', ['DTSTART:20260601T100000Z', 'RRULE:FREQ=DAILY', 'EXRULE:FREQ=WEEKLY']],
])('an event that %s is left out and counted, and the others are found', (_, lines) => {
  const ics = calendarOf(['UID:bad', ...lines], ['UID:good', 'DTSTART:20260601T100000Z']);
  expect(search(ics, YEAR)).toMatchObject({ events: [{ uid: 'good' }], unreadable: 1, truncated: false });
});
