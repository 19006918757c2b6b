// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { parseSchedule } from './schedule.ts';

const from = (cron: string, zone: string, moment: string, n: number): string[] => {
  const schedule = parseSchedule(cron, zone, Date.parse(moment));
  let at: number | null = Date.parse(moment);
  const due: string[] = [];
  for (let k = 0; k < n && (at = schedule.after(at)) !== null; k += 1) due.push(new Date(at).toISOString().slice(5, 16));
  return due;
};

describe('through the change to summer time', () => {
  it('a time of day that is left out is due as the clocks go on', () => {
    expect(from('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00:00Z', 3)).toEqual(['03-28T01:30', '03-29T01:00', '03-30T00:30']);
  });

  it('what is due every half hour is due every half hour', () => {
    expect(from('*/30 * * * *', 'Europe/Berlin', '2026-03-29T00:10:00Z', 4)).toEqual(['03-29T00:30', '03-29T01:00', '03-29T01:30', '03-29T02:00']);
  });
});

describe('through the change back', () => {
  it('a time of day that comes twice is due once', () => {
    expect(from('30 2 * * *', 'Europe/Berlin', '2026-10-24T00:00:00Z', 3)).toEqual(['10-24T00:30', '10-25T00:30', '10-26T01:30']);
  });

  it('what is due every half hour is due every half hour', () => {
    expect(from('*/30 * * * *', 'Europe/Berlin', '2026-10-24T23:40:00Z', 5)).toEqual(['10-25T00:00', '10-25T00:30', '10-25T01:00', '10-25T01:30', '10-25T02:00']);
  });
});

it('a zone whose clocks change by half an hour keeps its time of day', () => {
  expect(from('0 2 * * *', 'Australia/Lord_Howe', '2026-10-02T00:00:00Z', 4)).toEqual(['10-02T15:30', '10-03T15:30', '10-04T15:00', '10-05T15:00']);
});

it.each([
  ['/cron', '* * * * * *', 'UTC'], ['/cron', 'soon', 'UTC'], ['/cron', '61 * * * *', 'UTC'], ['/cron', '0 0 31 2 *', 'UTC'], ['/time_zone', '0 0 * * *', 'Mars/Olympus'],
])('what can\'t be a schedule is refused, and said where: `%s` of `%s` in `%s`', (pointer, cron, zone) => {
  expect(() => parseSchedule(cron, zone, 0)).toThrow(expect.objectContaining({ code: 'request.malformed', pointer }) as Fault);
});
