// SPDX-License-Identifier: Apache-2.0
import { Calendar, type CalendarOptions } from './calendar.ts';
import { CalendarError } from './calendar-error.ts';
import type { CalendarRange, CalendarSearch } from './calendar-query.ts';
import type { CalendarReply, CalendarRequest } from './http.ts';
import { CALENDAR_LIMITS } from './ics/read-calendar.ts';
import { searchReply } from './search-reply.ts';
import { bytesOf, calendarOf } from './specs/ics.ts';

const ICS = calendarOf(['UID:u', 'DTSTART:20260601T090000Z']);
const RANGE = { from: '2026-06-01T00:00:00+02:00', to: '2026-06-08T00:00:00+02:00' };
const EMPTY = '<multistatus xmlns="DAV:"/>';
const signal = new AbortController().signal;

/** A server that answers the same to each request. */
function serverOf(status: number, body = '') {
  const requests: CalendarRequest[] = [];
  const send = (request: CalendarRequest): Promise<CalendarReply> => {
    requests.push(request);
    return Promise.resolve({ status, body: bytesOf(body) });
  };
  return { requests, send };
}
const calendarAt = (options: Partial<CalendarOptions> & Pick<CalendarOptions, 'send'>): Calendar =>
  new Calendar({
    settings: { kind: 'ics', url: 'https://calendar.example.org/a.ics?x=1#y' },
    credentials: null,
    search: (work) => Promise.resolve(searchReply(work)),
    ...options,
  });
const CALDAV = { kind: 'caldav', url: 'https://dav.example.org/ada/work/' } as const;
const find = (calendar: Calendar, range: CalendarRange = RANGE, search: CalendarSearch = { limit: 5 }) =>
  calendar.find(range, search, signal);
const error = (reason: string, message: RegExp = /./) =>
  expect.objectContaining({ name: 'CalendarError', reason, message: expect.stringMatching(message) });

test('a calendar of kind `ics` is one GET of its address', async () => {
  const { send, requests } = serverOf(200, ICS);
  expect(await find(calendarAt({ send }))).toMatchObject({ events: [{ uid: 'u' }], truncated: false });
  expect(requests).toMatchObject([
    { method: 'GET', url: 'https://calendar.example.org/a.ics?x=1', body: null, replyBytesMax: CALENDAR_LIMITS.bytes },
  ]);
  expect(requests[0]!.headers).toEqual({ accept: 'text/calendar' });
});

test('a calendar of kind `caldav` is one REPORT for a day more than the range at both ends', async () => {
  const { send, requests } = serverOf(207, EMPTY);
  const credentials = { scheme: 'basic', username: 'ada', password: 'päss:word' } as const;
  expect(await find(calendarAt({ send, settings: CALDAV, credentials }))).toEqual({
    events: [],
    truncated: false,
    unreadable: 0,
  });
  expect(requests).toMatchObject([{ method: 'REPORT', url: CALDAV.url, headers: { depth: '1' } }]);
  expect(requests[0]!.headers['authorization']).toBe(`Basic ${Buffer.from('ada:päss:word').toString('base64')}`);
  expect(new TextDecoder().decode(requests[0]!.body!)).toContain(
    '<C:time-range start="20260530T220000Z" end="20260608T220000Z"/>',
  );
});

test('a token is sent as a bearer token', async () => {
  const { send, requests } = serverOf(200, ICS);
  await find(calendarAt({ send, credentials: { scheme: 'bearer', token: 'abc.DEF-_=' } }));
  expect(requests[0]!.headers['authorization']).toBe('Bearer abc.DEF-_=');
});

test.each<[kind: 'ics' | 'caldav', status: number, reason: string, message: RegExp]>([
  ['ics', 401, 'refused', /credentials/],
  ['caldav', 403, 'refused', /credentials/],
  ['ics', 301, 'refused', /redirect/],
  ['caldav', 307, 'refused', /redirect/],
  ['ics', 404, 'missing', /no calendar at the registered address/],
  ['caldav', 410, 'missing', /no calendar/],
  ['ics', 429, 'unreachable', /429/],
  ['caldav', 503, 'unreachable', /503/],
  ['caldav', 507, 'too_large', /507/],
  ['caldav', 405, 'unsupported', /no CalDAV/],
  ['caldav', 501, 'unsupported', /REPORT/],
  ['caldav', 200, 'unsupported', /REPORT/],
  ['ics', 204, 'malformed', /204/],
  ['ics', 206, 'malformed', /206/],
])('for the kind `%s`, status %d is an error that says `%s`', async (kind, status, reason, message) => {
  const settings = kind === 'caldav' ? CALDAV : { kind, url: 'https://example.org/' };
  await expect(find(calendarAt({ send: serverOf(status, ICS).send, settings }))).rejects.toEqual(
    error(reason, message),
  );
});

test('no reply is `unreachable`, what the sender says of its size stays, and a longer reply is refused here too', async () => {
  const lost = () => Promise.reject(new Error('reset'));
  await expect(find(calendarAt({ send: lost }))).rejects.toEqual(error('unreachable'));
  const long = () => Promise.reject(new CalendarError('too_large', 'too long'));
  await expect(find(calendarAt({ send: long }))).rejects.toEqual(error('too_large', /too long/));
  const body = new Uint8Array(CALENDAR_LIMITS.bytes + 1);
  await expect(find(calendarAt({ send: () => Promise.resolve({ status: 200, body }) }))).rejects.toEqual(
    error('too_large'),
  );
});

test('a reply that does not come in time is `unreachable`, and an aborted search ends with its reason', async () => {
  const never = ({ signal: ends }: CalendarRequest) =>
    new Promise<CalendarReply>((_, reject) => ends.addEventListener('abort', () => reject(ends.reason as Error)));
  await expect(find(calendarAt({ send: never, replyMs: 5 }))).rejects.toEqual(error('unreachable'));
  const controller = new AbortController();
  const found = calendarAt({ send: never }).find(RANGE, { limit: 1 }, controller.signal);
  controller.abort(new Error('gone'));
  await expect(found).rejects.toThrow('gone');
});

test.each<[what: string, range: Partial<CalendarRange>, search: Partial<CalendarSearch>, message: RegExp]>([
  ['a range that ends before it starts', { to: RANGE.from }, {}, /not after/],
  ['a range of eleven years', { to: '2037-06-01T00:00:00Z' }, {}, /3653 days/],
  ['a time without an offset', { from: '2026-06-01T00:00:00' }, {}, /`from`/],
  ['a date alone', { from: '2026-06-01' }, {}, /`from`/],
  ['a day that does not exist', { to: '2026-06-31T00:00:00Z' }, {}, /`to`/],
  ['an hour that does not exist', { to: '2026-06-30T25:00:00Z' }, {}, /`to`/],
  ['no limit', {}, { limit: 0 }, /limit/],
  ['a limit that is too high', {}, { limit: 501 }, /limit/],
  ['an empty text', {}, { text: '' }, /text/],
  ['a long text', {}, { text: 'x'.repeat(257) }, /text/],
  ['an unknown zone', {}, { floating_zone: 'Europe/Atlantis' }, /floating_zone/],
])('%s is an invalid query, and nothing is sent', async (_, range, search, message) => {
  const { send, requests } = serverOf(200, ICS);
  const found = find(calendarAt({ send }), { ...RANGE, ...range }, { limit: 5, ...search });
  await expect(found).rejects.toEqual(error('invalid_query', message));
  expect(requests).toEqual([]);
});

test.each<[what: string, options: Partial<CalendarOptions>]>([
  ['an address of another scheme', { settings: { kind: 'ics', url: 'file:///etc/passwd' } }],
  ['no address', { settings: { kind: 'ics', url: 'calendar' } }],
  ['an address with a password', { settings: { kind: 'ics', url: 'https://a:b@example.org/' } }],
  ['a token with a line break', { credentials: { scheme: 'bearer', token: 'a\r\nx: y' } }],
  ['an empty token', { credentials: { scheme: 'bearer', token: '' } }],
  ['a username with a colon', { credentials: { scheme: 'basic', username: 'a:b', password: 'c' } }],
  ['a password with a line break', { credentials: { scheme: 'basic', username: 'a', password: 'b\n' } }],
])('%s is an invalid source', (_, options) => {
  expect(() => calendarAt({ send: serverOf(200).send, ...options })).toThrow(error('invalid_source') as Error);
});
