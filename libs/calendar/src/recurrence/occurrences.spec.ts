// SPDX-License-Identifier: Apache-2.0
import { parseWrittenTime } from '../ics/values.ts';
import { Unreadable } from '../ics/unreadable.ts';
import { rfc3339 } from '../time/civil.ts';
import { occurrences } from './occurrences.ts';
import { parseRule } from './rule.ts';
import { StepBudget } from './step-budget.ts';

const local = (text: string): number => parseWrittenTime(text).local;
/** The first local times, such as `2026-01-31T09:00`. */
function times(rule: string, start: string, count: number, [first, last] = ['00010101', '99991231']): string[] {
  const window = { first: local(first), last: local(last) };
  const found = occurrences(parseRule(rule), local(start), window, new StepBudget(1_000_000));
  const list: string[] = [];
  for (const time of found) {
    list.push(rfc3339(time, 0).slice(0, 16));
    if (list.length === count) break;
  }
  return list;
}
const dates = (rule: string, start: string, count: number): string[] =>
  times(rule, start, count).map((time) => time.slice(0, 10));

// From the examples of RFC 5545, 3.8.5.3, by the dates that it lists.
test.each<[rule: string, start: string, expected: string]>([
  ['FREQ=DAILY;COUNT=4', '19970902T090000', '1997-09-02 1997-09-03 1997-09-04 1997-09-05'],
  ['FREQ=DAILY;INTERVAL=10;COUNT=5', '19970902T090000', '1997-09-02 1997-09-12 1997-09-22 1997-10-02 1997-10-12'],
  ['FREQ=YEARLY;BYMONTH=1;BYDAY=SU,TU', '19980101T090000', '1998-01-01 1998-01-04 1998-01-06 1998-01-11'],
  ['FREQ=WEEKLY;INTERVAL=2;WKST=SU', '19970902T090000', '1997-09-02 1997-09-16 1997-09-30 1997-10-14'],
  ['FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH', '19970902T090000', '1997-09-02 1997-09-04 1997-09-16'],
  [
    'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO',
    '19970805T090000',
    '1997-08-05 1997-08-10 1997-08-19 1997-08-24',
  ],
  [
    'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU',
    '19970805T090000',
    '1997-08-05 1997-08-17 1997-08-19 1997-08-31',
  ],
  ['FREQ=MONTHLY;COUNT=10;BYDAY=1FR', '19970905T090000', '1997-09-05 1997-10-03 1997-11-07 1997-12-05 1998-01-02'],
  ['FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU', '19970907T090000', '1997-09-07 1997-09-28 1997-11-02 1997-11-30'],
  ['FREQ=MONTHLY;COUNT=6;BYDAY=-2MO', '19970922T090000', '1997-09-22 1997-10-20 1997-11-17 1997-12-22 1998-01-19'],
  ['FREQ=MONTHLY;BYMONTHDAY=-3', '19970928T090000', '1997-09-28 1997-10-29 1997-11-28 1997-12-29 1998-01-29'],
  ['FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1', '19970930T090000', '1997-09-30 1997-10-01 1997-10-31 1997-11-01'],
  ['FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11', '19970910T090000', '1997-09-10 1997-09-11 1999-03-10'],
  ['FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3', '19970310T090000', '1997-03-10 1999-01-10 1999-02-10 1999-03-10'],
  [
    'FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200',
    '19970101T090000',
    '1997-01-01 1997-04-10 1997-07-19 2000-01-01',
  ],
  ['FREQ=YEARLY;BYDAY=20MO', '19970519T090000', '1997-05-19 1998-05-18 1999-05-17'],
  ['FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO', '19970512T090000', '1997-05-12 1998-05-11 1999-05-17'],
  ['FREQ=YEARLY;BYMONTH=3;BYDAY=TH', '19970313T090000', '1997-03-13 1997-03-20 1997-03-27 1998-03-05'],
  ['FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13', '19980213T090000', '1998-02-13 1998-03-13 1998-11-13 1999-08-13'],
  ['FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13', '19970913T090000', '1997-09-13 1997-10-11 1997-11-08'],
  [
    'FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8',
    '19961105T090000',
    '1996-11-05 2000-11-07 2004-11-02',
  ],
  ['FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3', '19970904T090000', '1997-09-04 1997-10-07 1997-11-06'],
  ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2', '19970929T090000', '1997-09-29 1997-10-30 1997-11-27 1997-12-30'],
  [
    'FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5',
    '20070115T090000',
    '2007-01-15 2007-01-30 2007-02-15 2007-03-15 2007-03-30',
  ],
])('%s from %s repeats on the dates of RFC 5545', (rule, start, expected) => {
  const list = expected.split(' ');
  expect(dates(rule, start, list.length)).toEqual(list);
});

test.each<[rule: string, start: string, expected: string]>([
  ['FREQ=HOURLY;INTERVAL=3;COUNT=3', '19970902T0900', '1997-09-02T09:00 1997-09-02T12:00 1997-09-02T15:00'],
  [
    'FREQ=MINUTELY;INTERVAL=90;COUNT=4',
    '19970902T0900',
    '1997-09-02T09:00 1997-09-02T10:30 1997-09-02T12:00 1997-09-02T13:30',
  ],
  [
    'FREQ=DAILY;BYHOUR=9,10;BYMINUTE=0,20,40',
    '19970902T0900',
    '1997-09-02T09:00 1997-09-02T09:20 1997-09-02T09:40 1997-09-02T10:00',
  ],
  ['FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10', '19970902T1040', '1997-09-02T10:40 1997-09-03T09:00 1997-09-03T09:20'],
  [
    'FREQ=HOURLY;BYMINUTE=15,45;BYSETPOS=-1;BYDAY=MO',
    '19970901T2245',
    '1997-09-01T22:45 1997-09-01T23:45 1997-09-08T00:45',
  ],
  ['FREQ=DAILY;BYHOUR=8,12,16;BYSETPOS=2', '19970902T1200', '1997-09-02T12:00 1997-09-03T12:00'],
  ['FREQ=SECONDLY;INTERVAL=45;BYSECOND=0', '19970902T0900', '1997-09-02T09:00 1997-09-02T09:03 1997-09-02T09:06'],
])('%s from %s repeats at these times', (rule, start, expected) => {
  const list = expected.split(' ');
  expect(times(rule, `${start}00`, list.length)).toEqual(list);
});

test('a yearly event of 29 February repeats in leap years alone', () => {
  expect(dates('FREQ=YEARLY', '20240229', 3)).toEqual(['2024-02-29', '2028-02-29', '2032-02-29']);
});

test('the start counts as the first, even if the rule does not name it', () => {
  expect(dates('FREQ=WEEKLY;BYDAY=MO;COUNT=3', '20260101T090000', 9)).toEqual([
    '2026-01-01',
    '2026-01-05',
    '2026-01-12',
  ]);
});

test('week 53 is only in years that have one, and -1 is the last week of each', () => {
  expect(dates('FREQ=YEARLY;BYWEEKNO=53;BYDAY=TH', '20201231', 3)).toEqual(['2020-12-31', '2026-12-31', '2032-12-30']);
  expect(dates('FREQ=YEARLY;BYWEEKNO=-1;BYDAY=TH', '20201231', 3)).toEqual(['2020-12-31', '2021-12-30', '2022-12-29']);
});

test('a rule without COUNT is followed from the window on, and costs nothing for the years before', () => {
  const window = { first: local('20260301T120000'), last: local('20260301T120002') };
  for (const rule of ['FREQ=SECONDLY', 'FREQ=SECONDLY;COUNT=4000000000', 'FREQ=SECONDLY;BYHOUR=12']) {
    const budget = new StepBudget(20);
    expect([...occurrences(parseRule(rule), local('19700101T000000'), window, budget)]).toHaveLength(3);
    expect(budget.exhausted).toBe(false);
  }
});

test.each([
  'FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=MINUTELY;BYHOUR=3;INTERVAL=1440',
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=YEARLY;INTERVAL=9007199254740991;BYMONTH=1;BYDAY=WE',
  'FREQ=MONTHLY;BYSETPOS=366;BYDAY=MO',
])('%s, which never happens after its start, ends', (rule) => {
  expect(times(rule, '20200131T090000', 9, ['20200201', '20400101'])).toEqual([]);
});

test.each([
  'COUNT=3',
  'FREQ=FORTNIGHTLY',
  'FREQ=DAILY;INTERVAL=0',
  'FREQ=DAILY;COUNT=-1',
  'FREQ=DAILY;FREQ=DAILY',
  'FREQ=DAILY;BYMONTH=13',
  'FREQ=DAILY;BYWEEKNO=3',
  'FREQ=WEEKLY;BYMONTHDAY=3',
  'FREQ=WEEKLY;BYDAY=1MO',
  'FREQ=MONTHLY;BYDAY=0MO',
  'FREQ=MONTHLY;BYMONTHDAY=0',
  'FREQ=DAILY;UNTIL=tomorrow',
  'FREQ=DAILY;WKST=XX',
  'RSCALE=CHINESE;FREQ=YEARLY',
])('the rule %s is unreadable', (rule) => {
  expect(() => parseRule(rule)).toThrow(Unreadable);
});

test('a rule with a list that no calendar needs is unreadable', () => {
  expect(() => parseRule(`FREQ=DAILY;BYHOUR=${'1,'.repeat(3_000)}1`)).toThrow(Unreadable);
});
