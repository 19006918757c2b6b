// SPDX-License-Identifier: Apache-2.0
import {
  bindTool,
  CALENDAR_FIND,
  RESOURCE_SECRET_PREFIX,
  type BoundResource,
  type CalendarFound,
  type CalendarSettings,
  type Redemption,
} from '@writ/contract';
import { resourceDigest } from '@writ/digest';
import { EgressGate } from '../egress/gate.ts';
import { ExternalHosts } from '../specs/external-hosts.ts';
import { ScriptedKernel, tenantId } from '../specs/scripted-kernel.ts';
import { BrokerRunner } from './broker-runner.ts';

const PASSWORD = 'correct-horse-battery';
const CALDAV: CalendarSettings = {
  kind: 'caldav',
  url: 'https://dav.outside.example/ada/',
  username: 'ada',
  secret: 'DAV_PASSWORD',
};
const ICS: CalendarSettings = { kind: 'ics', url: 'https://dav.outside.example/team.ics' };
const RANGE = { start: '2026-03-28T00:00:00Z', end: '2026-03-31T00:00:00Z' };
const event = (...lines: readonly string[]): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'BEGIN:VEVENT', 'UID:a', ...lines, 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n');
const DAILY = event(
  'DTSTART;TZID=Europe/Berlin:20260328T090000',
  'DTEND;TZID=Europe/Berlin:20260328T100000',
  'RRULE:FREQ=DAILY',
  'SUMMARY:Standup',
);

let outside: ExternalHosts;
let kernel: ScriptedKernel;
let root: string;
beforeEach(async () => {
  outside = await ExternalHosts.open();
  kernel = await new ScriptedKernel().start();
  kernel.leaseMs = 60_000;
  root = await kernel.tree({});
});
afterEach(async () => {
  await kernel.close();
  await outside.close();
});

async function find(
  settings: CalendarSettings,
  args: Record<string, unknown> = {},
  redemption: Partial<Redemption> = {},
) {
  const meaning = { kind: 'calendar', name: 'default', settings } as const;
  const resources: BoundResource[] = [
    { resource_id: `res_${'0'.repeat(26)}`, ...meaning, owner_agent_id: null, digest: resourceDigest(meaning) },
  ];
  const message = kernel.order('calendar.find', { range: RANGE, ...args }, root, {
    definition: bindTool(CALENDAR_FIND, resources),
    redemption: {
      net: [[{ domain: '*.outside.example', methods: ['GET', 'REPORT'] }]],
      resources,
      secrets: { [`${RESOURCE_SECRET_PREFIX}DAV_PASSWORD`]: PASSWORD },
      ...redemption,
    },
  });
  const gate = new EgressGate(outside.ports, () => performance.now());
  const runner = new BrokerRunner(kernel.blobs, gate, () => performance.now());
  expect(await kernel.executor([runner]).run(message, 'broker')).toBe('reported');
  const report = kernel.reports.at(-1)!;
  expect(JSON.stringify(report)).not.toContain(PASSWORD);
  return report;
}
const answers = (body: string, status = 200): void => {
  outside.answer = (_request, response) => void response.writeHead(status).end(body);
};
const multistatus = (...calendars: readonly string[]): string =>
  `<d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">${calendars
    .map(
      (text, n) =>
        `<d:response><d:href>/${n}.ics</d:href><d:propstat><d:prop><c:calendar-data><![CDATA[${text}]]></c:calendar-data></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`,
    )
    .join('')}</d:multistatus>`;
const foundIn = (report: { result?: unknown }) => report.result as CalendarFound;

it('asks a CalDAV server by one REPORT with the credentials, which changes nothing, and expands across a clock change', async () => {
  answers(multistatus(DAILY), 207);
  const report = await find(CALDAV);
  expect(report).toMatchObject({
    ended: 'exited',
    error: null,
    requests: [{ method: 'REPORT', target: 'https://dav.outside.example/ada/', outcome: 'answered', status: 207 }],
  });
  expect(
    foundIn(report).events.map(({ start, recurrence_id, time_zone }) => [start, recurrence_id, time_zone]),
  ).toEqual([
    ['2026-03-28T09:00:00+01:00', '2026-03-28T09:00:00+01:00', 'Europe/Berlin'],
    ['2026-03-29T09:00:00+02:00', '2026-03-29T09:00:00+02:00', 'Europe/Berlin'],
    ['2026-03-30T09:00:00+02:00', '2026-03-30T09:00:00+02:00', 'Europe/Berlin'],
  ]);
  expect(outside.received).toMatchObject([
    {
      method: 'REPORT',
      url: '/ada/',
      headers: { depth: '1', authorization: `Basic ${Buffer.from(`ada:${PASSWORD}`).toString('base64')}` },
    },
  ]);
  expect(kernel.requestedVerbs).not.toContain('kernel.effect_started');
});

it('reads a file without credentials by one GET', async () => {
  answers(DAILY);
  const report = await find(ICS, { limit: 1 }, { secrets: {} });
  expect(foundIn(report)).toMatchObject({ events: [{ summary: 'Standup' }], truncated: true, unreadable: 0 });
  expect(outside.received[0]?.headers.authorization).toBeUndefined();
});

it('removes the password from texts of events, and a part of it from one that is cut', async () => {
  answers(
    event(
      'DTSTART:20260329T090000Z',
      `SUMMARY:the password is ${PASSWORD}`,
      `DESCRIPTION:${'x'.repeat(8_180)}${PASSWORD}`,
    ),
  );
  const report = await find({ ...ICS, secret: 'DAV_PASSWORD' });
  const [found] = foundIn(report).events;
  expect(found?.summary).toMatch(/^the password is \*\*\*/);
  expect(found?.description).not.toContain('corr');
});

it('answers as many events as its output may have, and says that there are more', async () => {
  const attendees = Array.from({ length: 200 }, (_, n) => `ATTENDEE;CN=${'é'.repeat(500)}:mailto:a${n}@example.org`);
  answers(
    event(
      'DTSTART:20260328T090000Z',
      'DURATION:PT1H',
      'RRULE:FREQ=HOURLY',
      `DESCRIPTION:${'y'.repeat(8_000)}`,
      ...attendees,
    ),
  );
  const report = await find(ICS, { limit: 500 });
  // A long result is stored beside the report.
  const stored = await kernel.blobs.get(tenantId, report.result_ref?.sha256 ?? '');
  const found = JSON.parse(Buffer.from(stored).toString()) as CalendarFound;
  expect(found.truncated).toBe(true);
  expect(found.events.length).toBeGreaterThan(3);
  expect(Buffer.byteLength(JSON.stringify(found))).toBeLessThan(210_000);
});

it.each<[string, string, number, CalendarSettings, string]>([
  ['a refused login', 'no', 401, CALDAV, 'calendar.refused'],
  ['a redirect', 'elsewhere', 302, ICS, 'calendar.refused'],
  ['no such collection', 'no', 404, CALDAV, 'calendar.unusable'],
  ['a server without CalDAV', 'no', 405, CALDAV, 'calendar.unusable'],
  ['no calendar', '<html></html>', 200, ICS, 'calendar.unreadable'],
  [
    'a document type',
    '<!DOCTYPE x [<!ENTITY a "b">]><d:multistatus xmlns:d="DAV:"/>',
    207,
    CALDAV,
    'calendar.unreadable',
  ],
  ['an overload', 'no', 503, CALDAV, 'egress.failed'],
])('%s is a failure with its code', async (_what, body, status, settings, code) => {
  answers(body, status);
  expect(await find(settings)).toMatchObject({ ended: 'failed', error: { code } });
});

it('sends nothing that the token does not grant, and no credentials in clear', async () => {
  const net = [[{ domain: '*.outside.example', methods: ['GET', 'POST'] }]];
  expect(await find(CALDAV, {}, { net })).toMatchObject({
    ended: 'failed',
    error: { code: 'token.scope', message: expect.stringContaining('REPORT') as unknown },
  });
  const clear = await find({ ...CALDAV, url: 'http://dav.outside.example/ada/' });
  expect(clear).toMatchObject({
    error: { code: 'egress.refused', message: expect.stringContaining('TLS') as unknown },
  });
  expect(outside.received).toEqual([]);
});
