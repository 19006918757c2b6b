// SPDX-License-Identifier: Apache-2.0
//
// When a cron expression is due, by the rules of Vixie cron (ADR 0098).
//
// INVARIANT (fixed times): a job whose minute and hour name their values is due once for each time of day that they
// name. If a change of the clocks skips that time, the job is due at the change. If the clocks show it twice, the job
// is due the first time. Due times that coincide count once.
// INVARIANT (wildcards): a job whose minute or hour begins with `*` is due whenever the clocks show such a time, so
// `*/30 * * * *` follows elapsed time.
import { Fault } from '@writ/contract';
import { Cron } from 'croner';
import { wallClock, type WallClock } from './wall-clock.ts';

/** A recurring schedule. */
export interface Schedule {
  /** The first due time after a moment, both in milliseconds since the epoch; null where there is none. */
  readonly after: (moment: number) => number | null;
}

/** The nicknames of crontab(5), except `@reboot`, which has no meaning here. */
const NICKNAMES: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** croner accepts `?` as a synonym of `*`. */
const beginsWithStar = (field: string | undefined): boolean => field !== undefined && /^[*?]/.test(field);

/**
 * Parses a cron expression for a time zone.
 * @throws Fault `request.malformed`, also for one that never comes due
 */
export function parseSchedule(expression: string, timeZone: string, now: number): Schedule {
  const clock = readTimeZone(timeZone);
  const plain = expression.trim();
  const fields = NICKNAMES[plain.toLowerCase()] ?? plain;
  const [minute, hour] = fields.split(/\s+/);
  const isWild = beginsWithStar(minute) || beginsWithStar(hour);
  const cron = readCron(expression, fields, isWild ? timeZone : 'UTC');
  const after = isWild ? wildSchedule(cron) : fixedSchedule(cron, clock);
  if (after(now) === null)
    throw new Fault('request.malformed', `\`${expression}\` never comes due`, { pointer: '/cron' });
  return { after };
}

const nextOf = (cron: Cron, at: number): number | null => cron.nextRun(new Date(at))?.getTime() ?? null;

const wildSchedule =
  (cron: Cron): Schedule['after'] =>
  (moment) =>
    nextOf(cron, moment);

/**
 * Iterates over clock readings in order, and converts each to its moment. When the clocks show an hour a second time,
 * its readings have already passed.
 */
const fixedSchedule =
  (cron: Cron, clock: WallClock): Schedule['after'] =>
  (moment) => {
    for (let reading = nextOf(cron, clock.readingAt(moment)); reading !== null; reading = nextOf(cron, reading)) {
      const due = clock.momentOf(reading);
      if (due > moment) return due;
    }
    return null;
  };

/**
 * Only the library's arithmetic is used. Nothing is scheduled in this process, because it may crash. Day of the month
 * and weekday: both must match where one of them begins with `*`, else one of them is enough.
 */
function readCron(expression: string, fields: string, timezone: string): Cron {
  const [, , day, , weekday] = fields.split(/\s+/);
  try {
    const domAndDow = beginsWithStar(day) || beginsWithStar(weekday);
    return new Cron(fields, { timezone, mode: '5-part', paused: true, domAndDow });
  } catch (error) {
    throw new Fault('request.malformed', `\`${expression}\` is no cron expression of five fields`, {
      pointer: '/cron',
      cause: error,
    });
  }
}

function readTimeZone(name: string): WallClock {
  try {
    return wallClock(name);
  } catch (error) {
    throw new Fault('request.malformed', `\`${name}\` is no IANA time zone`, { pointer: '/time_zone', cause: error });
  }
}
