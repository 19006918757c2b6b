// SPDX-License-Identifier: Apache-2.0
// A real CalDAV server: Radicale of PyPI. Skipped by name where it can't be installed.
import { startRadicale } from '@writ/testing';
import { Calendar } from './calendar.ts';
import type { CalendarSearch } from './calendar-query.ts';
import type { SendCalendarRequest } from './http.ts';
import { searchReply } from './search-reply.ts';
import { calendarOf } from './specs/ics.ts';

const PASSWORD = 'sécret: pass';
const radicale = await startRadicale('ada', PASSWORD);
const BERLIN = 'TZID=Europe/Berlin';
/** As calendars of people bring it, with the name that Outlook gives. */
const OUTLOOK = [
  'BEGIN:VTIMEZONE',
  'TZID:W. Europe Standard Time',
  ...['STANDARD 10 +0200 +0100', 'DAYLIGHT 3 +0100 +0200'].flatMap((row) => {
    const [name, month, from, to] = row.split(' ');
    const rule = `RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=${month}`;
    return [
      `BEGIN:${name}`,
      'DTSTART:16010101T020000',
      `TZOFFSETFROM:${from}`,
      `TZOFFSETTO:${to}`,
      rule,
      `END:${name}`,
    ];
  }),
  'END:VTIMEZONE',
].join('\r\n');

const send: SendCalendarRequest = async ({ method, url, headers, body, signal }) => {
  const response = await fetch(url, {
    method,
    headers,
    body: body === null ? null : new Uint8Array(body),
    signal,
    redirect: 'manual',
  });
  return { status: response.status, body: new Uint8Array(await response.arrayBuffer()) };
};

describe.skipIf(radicale === null)('a Radicale server (skipped without python3 and pip)', () => {
  const base = `http://127.0.0.1:${radicale?.port ?? 0}`;

  const calendar = (name = 'work', password = PASSWORD): Calendar =>
    new Calendar({
      settings: { kind: 'caldav', url: `${base}/ada/${name}/` },
      credentials: { scheme: 'basic', username: 'ada', password },
      send,
      search: (work) => Promise.resolve(searchReply(work)),
    });
  const find = (from: string, to: string, search: Partial<CalendarSearch> = {}) =>
    calendar().find({ from, to }, { limit: 100, ...search }, new AbortController().signal);
  const put = async (name: string, ics: string): Promise<void> => {
    expect(await radicale?.request('PUT', `/ada/work/${name}.ics`, ics)).toBe(201);
  };

  beforeAll(async () => {
    const made =
      '<create xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><set><prop><resourcetype><collection/><C:calendar/></resourcetype></prop></set></create>';
    expect(await radicale?.request('MKCOL', '/ada/work/', made.replaceAll('create', 'mkcol'))).toBe(201);
    await put(
      'one',
      calendarOf(['UID:one', 'SUMMARY:Café & <b>', 'DTSTART:20260601T090000Z', 'DTEND:20260601T100000Z']),
    );
    await put(
      'day',
      calendarOf(['UID:day', 'SUMMARY:Off', 'DTSTART;VALUE=DATE:20260601', 'DTEND;VALUE=DATE:20260603']),
    );
    const weekly = ['UID:weekly', 'SUMMARY:Plan', `DTSTART;${BERLIN}:20251201T090000`, 'DURATION:PT1H'];
    const moved = ['UID:weekly', 'SUMMARY:Plan\\, later', `RECURRENCE-ID;${BERLIN}:20260330T090000`];
    await put(
      'weekly',
      calendarOf(
        [...weekly, 'RRULE:FREQ=WEEKLY;BYDAY=MO', `EXDATE;${BERLIN}:20260406T090000`],
        [...moved, `DTSTART;${BERLIN}:20260330T150000`, `DTEND;${BERLIN}:20260330T160000`],
      ),
    );
    const outlook = calendarOf([
      'UID:outlook',
      'DTSTART;TZID=W. Europe Standard Time:20260101T080000',
      'RRULE:FREQ=MONTHLY',
    ]);
    await put('outlook', outlook.replace('BEGIN:VEVENT', `${OUTLOOK}\r\nBEGIN:VEVENT`));
  });
  afterAll(async () => {
    await radicale?.stop();
  });

  test('finds events that were put there, with their texts, and days as days', async () => {
    const found = await find('2026-06-01T00:00:00Z', '2026-06-01T12:00:00Z', { floating_zone: 'Europe/Berlin' });
    expect(found).toMatchObject({ truncated: false, unreadable: 0 });
    expect(found.events.map(({ uid, summary, start, all_day }) => [uid, summary, start, all_day])).toEqual([
      ['day', 'Off', '2026-06-01T00:00:00+02:00', true],
      ['outlook', null, '2026-06-01T08:00:00+02:00', false],
      ['weekly', 'Plan', '2026-06-01T09:00:00+02:00', false],
      ['one', 'Café & <b>', '2026-06-01T09:00:00+00:00', false],
    ]);
  });

  test('repeats events in their zone across the change of the clocks, with the instances that differ', async () => {
    const { events } = await find('2026-03-20T00:00:00Z', '2026-04-15T00:00:00Z');
    expect(events.map(({ uid, summary, start, time_zone }) => [uid, summary, start, time_zone])).toEqual([
      ['weekly', 'Plan', '2026-03-23T09:00:00+01:00', 'Europe/Berlin'],
      ['weekly', 'Plan, later', '2026-03-30T15:00:00+02:00', 'Europe/Berlin'],
      ['outlook', null, '2026-04-01T08:00:00+02:00', null],
      ['weekly', 'Plan', '2026-04-13T09:00:00+02:00', 'Europe/Berlin'],
    ]);
  });

  test('finds a whole day that began before the range in the zone that is asked for', async () => {
    const { events } = await find('2026-06-02T21:00:00Z', '2026-06-02T21:30:00Z', { floating_zone: 'Europe/Berlin' });
    expect(events.map(({ uid }) => uid)).toEqual(['day']);
  });

  test('an empty range has no events', async () => {
    expect(await find('2020-01-01T00:00:00Z', '2020-02-01T00:00:00Z')).toEqual({
      events: [],
      truncated: false,
      unreadable: 0,
    });
  });

  test.each<[what: string, at: () => Calendar, reason: string]>([
    ['a wrong password', () => calendar('work', 'wrong'), 'refused'],
    ['a collection that is not there', () => calendar('other'), 'missing'],
  ])('%s is a clear error', async (_, at, reason) => {
    const range = { from: '2026-06-01T00:00:00Z', to: '2026-06-02T00:00:00Z' };
    await expect(at().find(range, { limit: 1 }, new AbortController().signal)).rejects.toMatchObject({
      name: 'CalendarError',
      reason,
    });
  });

  test('the collection is read as a file too', async () => {
    const file = new Calendar({
      settings: { kind: 'ics', url: `${base}/ada/work/` },
      credentials: { scheme: 'basic', username: 'ada', password: PASSWORD },
      send,
      search: (work) => Promise.resolve(searchReply(work)),
    });
    const range = { from: '2026-03-20T00:00:00Z', to: '2026-04-15T00:00:00Z' };
    expect(await file.find(range, { limit: 100 }, new AbortController().signal)).toEqual(
      await find(range.from, range.to),
    );
  });
});
