// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { Cron } from 'croner';

/** When something is due again and again. */
export interface Schedule {
  /** The first due time after a moment, both in milliseconds since the epoch; null where there is none. */
  readonly after: (moment: number) => number | null;
}

/**
 * Reads a cron expression for a time zone. Due times are those of its clocks: one that a change to summer time leaves out is due as the clocks go on,
 * one that they show twice is due the first time; what is due every hour, or more often, is so by the time that passes.
 * @throws Fault `request.malformed`, also for one that never comes due
 */
export function parseSchedule(expression: string, timeZone: string, now: number): Schedule {
  verifyTimeZone(timeZone);
  const cron = readCron(expression, timeZone);
  const after = (moment: number): number | null => cron.nextRun(new Date(moment))?.getTime() ?? null;
  if (after(now) === null) throw new Fault('request.malformed', `\`${expression}\` never comes due`, { pointer: '/cron' });
  return { after };
}

function readCron(expression: string, timezone: string): Cron {
  try {
    // Of the library only the arithmetic is used: nothing is scheduled in this process, which may die.
    return new Cron(expression, { timezone, mode: '5-part', paused: true });
  } catch (error) {
    throw new Fault('request.malformed', `\`${expression}\` is no cron expression of five fields`, { pointer: '/cron', cause: error });
  }
}

function verifyTimeZone(name: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
  } catch (error) {
    throw new Fault('request.malformed', `\`${name}\` is no IANA time zone`, { pointer: '/time_zone', cause: error });
  }
}
