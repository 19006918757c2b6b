// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { parseSchedule } from './cron-schedule.ts';

const from = (cron: string, zone: string, moment: string, n: number): string[] => {
  const schedule = parseSchedule(cron, zone, Date.parse(moment));
  let at: number | null = Date.parse(moment);
  const due: string[] = [];
  for (let k = 0; k < n && (at = schedule.after(at)) !== null; k += 1)
    due.push(new Date(at).toISOString().slice(5, 16));
  return due;
};

describe('through the change to summer time', () => {
  it('a skipped time of day is due when the clocks change', () => {
    expect(from('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00:00Z', 3)).toEqual([
      '03-28T01:30',
      '03-29T01:00',
      '03-30T00:30',
    ]);
  });

  it('one skipped time of several in a field is due when the clocks change, like a single one', () => {
    expect(from('0 2,14 * * *', 'Europe/Berlin', '2026-03-28T02:00:00Z', 4)).toEqual([
      '03-28T13:00',
      '03-29T01:00',
      '03-29T12:00',
      '03-30T00:00',
    ]);
  });

  it('several skipped times are due once', () => {
    expect(from('15,45 2 * * *', 'Europe/Berlin', '2026-03-28T02:00:00Z', 3)).toEqual([
      '03-29T01:00',
      '03-30T00:15',
      '03-30T00:45',
    ]);
    expect(from('0-59/15 2-3 * * *', 'Europe/Berlin', '2026-03-28T04:00:00Z', 5)).toEqual([
      '03-29T01:00',
      '03-29T01:15',
      '03-29T01:30',
      '03-29T01:45',
      '03-30T00:00',
    ]);
  });

  it('a skipped time is due when the clocks change, even if that is the next day', () => {
    expect(from('30 23 * * *', 'America/Nuuk', '2026-03-27T12:00:00Z', 3)).toEqual([
      '03-28T01:30',
      '03-29T01:00',
      '03-30T00:30',
    ]);
  });

  it('a skipped time that only a wildcard matches is not due', () => {
    expect(from('*/30 2 * * *', 'Europe/Berlin', '2026-03-28T02:00:00Z', 2)).toEqual(['03-30T00:00', '03-30T00:30']);
  });

  it('what is due every half hour is due every half hour', () => {
    expect(from('*/30 * * * *', 'Europe/Berlin', '2026-03-29T00:10:00Z', 4)).toEqual([
      '03-29T00:30',
      '03-29T01:00',
      '03-29T01:30',
      '03-29T02:00',
    ]);
  });
});

describe('through the change back', () => {
  it('a time of day that comes twice is due once', () => {
    expect(from('30 2 * * *', 'Europe/Berlin', '2026-10-24T00:00:00Z', 3)).toEqual([
      '10-24T00:30',
      '10-25T00:30',
      '10-26T01:30',
    ]);
  });

  it('one time of several in a field is due once, like a single one', () => {
    expect(from('0 2,14 * * *', 'Europe/Berlin', '2026-10-24T01:00:00Z', 4)).toEqual([
      '10-24T12:00',
      '10-25T00:00',
      '10-25T13:00',
      '10-26T01:00',
    ]);
    expect(from('15,45 2 * * *', 'Europe/Berlin', '2026-10-24T01:00:00Z', 3)).toEqual([
      '10-25T00:15',
      '10-25T00:45',
      '10-26T01:15',
    ]);
  });

  it('what is due every half hour is due every half hour', () => {
    expect(from('*/30 * * * *', 'Europe/Berlin', '2026-10-24T23:40:00Z', 5)).toEqual([
      '10-25T00:00',
      '10-25T00:30',
      '10-25T01:00',
      '10-25T01:30',
      '10-25T02:00',
    ]);
  });
});

it('a zone whose clocks change by half an hour keeps its time of day', () => {
  expect(from('0 2 * * *', 'Australia/Lord_Howe', '2026-10-02T00:00:00Z', 4)).toEqual([
    '10-02T15:30',
    '10-03T15:30',
    '10-04T15:00',
    '10-05T15:00',
  ]);
});

describe('a day of the month beside a weekday', () => {
  const days = (cron: string): string[] => from(cron, 'UTC', '2026-02-01T12:00:00Z', 4).map((due) => due.slice(0, 5));
  it('one of them is enough where both name their days', () => {
    expect(days('0 0 13 * 1')).toEqual(['02-02', '02-09', '02-13', '02-16']);
  });
  it('both must match where one of them begins with `*`', () => {
    expect(days('0 0 */2 * 1')).toEqual(['02-09', '02-23', '03-09', '03-23']);
    expect(days('0 0 13 * */2')).toEqual(['06-13', '08-13', '09-13', '10-13']);
  });
  it('both must match where the weekday begins with `+`', () => {
    expect(days('0 0 13 * +5')).toEqual(['02-13', '03-13', '11-13', '08-13']);
  });
});

it.each(['@hourly', '@daily', '@weekly', '@monthly', '@yearly', '@annually', '@midnight', ' @Daily '])(
  'the short name `%s` is taken',
  (cron) => {
    expect(() => parseSchedule(cron, 'Europe/Berlin', 0)).not.toThrow();
  },
);

it.each([
  ['/cron', '@reboot', 'UTC'],
  ['/cron', '* * * * * *', 'UTC'],
  ['/cron', 'soon', 'UTC'],
  ['/cron', '61 * * * *', 'UTC'],
  ['/cron', '0 0 31 2 *', 'UTC'],
  ['/time_zone', '0 0 * * *', 'Mars/Olympus'],
])("what can't be a schedule is refused, and said where: `%s` of `%s` in `%s`", (pointer, cron, zone) => {
  expect(() => parseSchedule(cron, zone, 0)).toThrow(
    expect.objectContaining({ code: 'request.malformed', pointer }) as Fault,
  );
});
