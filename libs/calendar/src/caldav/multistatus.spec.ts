// SPDX-License-Identifier: Apache-2.0
import { CalendarError } from '../calendar-error.ts';
import { bytesOf, calendarOf } from '../specs/ics.ts';
import { parseQuery } from '../calendar-query.ts';
import { searchReply } from '../search-reply.ts';
import { readMultistatus } from './multistatus.ts';

const OBJECT = calendarOf(['UID:a', 'SUMMARY:A & B', 'DTSTART:20260601T090000Z']);
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const propstat = (data: string, status = 'HTTP/1.1 200 OK'): string =>
  `<d:response><d:href>/c/a.ics</d:href><d:propstat><d:prop><d:getetag>"1"</d:getetag><cal:calendar-data>${data}</cal:calendar-data></d:prop><d:status>${status}</d:status></d:propstat></d:response>`;
const multistatus = (...responses: string[]): string =>
  `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:cal="urn:ietf:params:xml:ns:caldav">${responses.join('')}</d:multistatus>`;
const read = (text: string) => {
  const { objects, truncated, withheld } = readMultistatus(bytesOf(text));
  return { objects, truncated, withheld };
};

test('objects are read with any prefix, as text or as CDATA', () => {
  const other = `<multistatus xmlns="DAV:"><response><propstat><prop><C:calendar-data xmlns:C="urn:ietf:params:xml:ns:caldav"><![CDATA[${OBJECT}]]></C:calendar-data></prop><status>HTTP/1.1 200 OK</status></propstat></response></multistatus>`;
  const lines = (text: string): string => text.replaceAll('\r\n', '\n');
  for (const text of [other, multistatus(propstat(escaped(OBJECT)))]) {
    const { objects, ...rest } = read(text);
    expect(objects.map(lines)).toEqual([lines(OBJECT)]);
    expect(rest).toEqual({ truncated: false, withheld: 0 });
  }
});

test('an empty answer has no objects', () => {
  expect(read(multistatus())).toEqual({ objects: [], truncated: false, withheld: 0 });
});

test('a property that is named like calendar data in another namespace is none', () => {
  expect(read(multistatus(propstat('x').replaceAll('cal:', 'd:')))).toMatchObject({ objects: [], withheld: 0 });
});

test('an object that the server does not give is counted, one that is gone is not, and 507 says that there are more', () => {
  const response = (status: string): string =>
    `<d:response><d:href>/c/b.ics</d:href><d:status>HTTP/1.1 ${status}</d:status></d:response>`;
  expect(
    read(multistatus(propstat('', 'HTTP/1.1 403 Forbidden'), response('403 Forbidden'), response('404 Not Found'))),
  ).toEqual({ objects: [], truncated: false, withheld: 2 });
  expect(read(multistatus(response('507 Insufficient Storage')))).toMatchObject({ truncated: true, withheld: 0 });
});

/** A document with a document type, which comes behind the XML declaration. */
const typed = (response: string, definitions: string): string =>
  multistatus(response).replace('?>', `?><!DOCTYPE d:multistatus ${definitions}>`);
test.each<[what: string, text: string]>([
  ['no XML', 'hello'],
  ['nothing', ''],
  ['a document that ends early', multistatus(propstat('x')).slice(0, -20)],
  ['a document type with entities', typed(propstat('&b;'), '[<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]')],
  ['a document type alone', typed('', '')],
  ['an entity that XML does not have', multistatus(propstat('&nbsp;'))],
  ['another document', '<html xmlns="http://www.w3.org/1999/xhtml"/>'],
  ['a prefix without a namespace', '<d:multistatus/>'],
  ['deep nesting', multistatus('<d:x>'.repeat(100_000))],
  ['two documents', multistatus() + '<x/>'],
])('%s is malformed', (_, text) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ name: 'CalendarError', reason: 'malformed' }));
});

test('bytes that are no UTF-8 are malformed', () => {
  expect(() => readMultistatus(new Uint8Array([0x3c, 0xff]))).toThrow(CalendarError);
});

test.each<[what: string, text: string]>([
  ['attributes', `<d:x ${Array.from({ length: 300_000 }, (_, n) => `a${n}="1"`).join(' ')}/>`],
  ['responses', propstat('').repeat(50_000)],
  ['references', propstat('&amp;'.repeat(1_000_000))],
  ['text without a place', 'x'.repeat(8_000_000)],
  ['comments', '<!---->'.repeat(500_000)],
])(
  'an answer with many %s is read in time that grows with its length',
  (_, text) => {
    expect(read(multistatus(text)).truncated).toBe(false);
  },
  30_000,
);

test('an object that is malformed is counted, and the others are searched', () => {
  const body = bytesOf(multistatus(propstat('no calendar'), propstat(escaped(OBJECT))));
  const query = parseQuery({ from: '2026-06-01T00:00:00Z', to: '2026-06-02T00:00:00Z' }, { limit: 5 });
  expect(searchReply({ format: 'multistatus', body, query })).toMatchObject({
    events: [{ uid: 'a', summary: 'A & B' }],
    unreadable: 1,
    truncated: false,
  });
});
