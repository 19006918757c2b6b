// SPDX-License-Identifier: Apache-2.0
// Another implementation: `recurring-ical-events` of PyPI, which expands with python-dateutil. Skipped by name where it
// can't be installed.
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { pythonPackages } from '@writ/testing';
import { calendars, range } from './specs/calendars.ts';
import { calendarOf, search } from './specs/ics.ts';

const path = await pythonPackages({
  icalendar: '7.3.2',
  'recurring-ical-events': '3.8.2',
  'python-dateutil': '2.9.0.post0',
  six: '1.17.0',
  tzdata: '2026.6',
  'x-wr-timezone': '2.0.1',
  click: '8.5.1',
});

const PROGRAM = `
import datetime, json, sys
import icalendar, recurring_ical_events
def iso(time):
    if not isinstance(time, datetime.datetime):
        return time.isoformat() + 'T00:00:00.000Z'
    return time.astimezone(datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%S.000Z')
def days(text):
    return datetime.datetime.fromisoformat(text + 'T00:00:00+00:00')
answers = []
for case in json.load(sys.stdin):
    try:
        query = recurring_ical_events.of(icalendar.Calendar.from_ical(case['ics']))
        found = query.between(days(case['from']), days(case['to']))
        answers.append([[str(event['UID']), iso(event['DTSTART'].dt)] for event in found])
    except recurring_ical_events.BadRuleStringFormat:
        # python-dateutil takes a rule for invalid that never happens.
        answers.append(None)
json.dump(answers, sys.stdout)
`;

interface Case {
  readonly ics: string;
  readonly from: string;
  readonly to: string;
}
const peer = (cases: readonly Case[]): (string[][] | null)[] => {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], PYTHONPATH: path!, TZ: 'UTC' };
  const output = execFileSync('python3', ['-c', PROGRAM], { env, input: JSON.stringify(cases), maxBuffer: 1 << 28 });
  return JSON.parse(output.toString()) as (string[][] | null)[];
};
const ours = ({ ics, from, to }: Case): string[][] =>
  search(ics, [from, to]).events.map(({ uid, start }) => [uid, new Date(start).toISOString()]);
const sorted = (list: string[][]): string[][] => [...list].sort((a, b) => (a.join() < b.join() ? -1 : 1));

describe.skipIf(path === null)('recurring-ical-events of Python (skipped without python3 and pip)', () => {
  test('finds the same instances as a search here, of generated calendars', () => {
    const cases = fc
      .sample(fc.tuple(calendars, range), { numRuns: 400, seed: 7 })
      .map(([ics, [from, to]]): Case => ({ ics, from, to }))
      .filter((one) => !search(one.ics, [one.from, one.to]).truncated);
    expect(cases.length).toBeGreaterThan(300);
    const theirs = peer(cases);
    expect(theirs.filter((found) => found !== null).length).toBeGreaterThan(300);
    cases.forEach((one, n) => {
      const found = theirs[n] ?? null;
      if (found !== null) expect({ ...one, found: sorted(ours(one)) }).toEqual({ ...one, found: sorted(found) });
    });
  });

  test('finds the same instances as a search here, of series with changes', () => {
    const zone = 'TZID=Europe/Berlin';
    const series = ['UID:s', `DTSTART;${zone}:20260323T023000`, 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=12'];
    const change = (id: string, start: string, more = '') => [
      'UID:s',
      `RECURRENCE-ID;${zone}${more}:${id}`,
      `DTSTART;${zone}:${start}`,
      'DURATION:PT1H',
    ];
    const ics = [
      calendarOf(series),
      calendarOf([...series, `EXDATE;${zone}:20260325T023000,20260329T023000`, 'RDATE:20260401T100000Z']),
      calendarOf(series, change('20260325T023000', '20260327T120000')),
      calendarOf(series, change('20260326T023000', '20260326T040000', ';RANGE=THISANDFUTURE')),
      calendarOf(series, [...change('20260326T023000', '20260326T023000'), 'STATUS:CANCELLED']),
    ];
    const cases = ics.map((text): Case => ({ ics: text, from: '2026-03-01', to: '2026-05-01' }));
    const theirs = peer(cases);
    cases.forEach((one, n) => expect({ n, found: sorted(ours(one)) }).toEqual({ n, found: sorted(theirs[n] ?? []) }));
  });
});
