// SPDX-License-Identifier: Apache-2.0
import { CalendarError } from './calendar-error.ts';
import type { CalendarFound } from '@writ/contract';
import type { ParsedQuery } from './calendar-query.ts';
import { readMultistatus } from './caldav/multistatus.ts';
import { findEvents } from './find-events.ts';
import { CALENDAR_LIMITS, CalendarReader, type CalendarObject } from './ics/read-calendar.ts';

/** What is to be searched: plain data, which a worker thread can be given. */
export interface ReplySearch {
  /** `ics`: a text/calendar; `multistatus`: the answer to a REPORT */
  readonly format: 'ics' | 'multistatus';
  readonly body: Uint8Array;
  readonly query: ParsedQuery;
}

/**
 * Searches the reply of a server. Its cost depends on the reply, within `CALENDAR_LIMITS` and `STEP_LIMITS`: seconds of
 * a processor. Callers MUST NOT run it on an event loop that others share.
 * @throws CalendarError `malformed`, `too_large`
 */
export function searchReply({ format, body, query }: ReplySearch): CalendarFound {
  if (format === 'ics') return findEvents([CalendarReader.read(body)], query);
  const { objects, truncated, withheld } = readMultistatus(body);
  const read: CalendarObject[] = [];
  let unreadable = withheld;
  let events = 0;
  for (const text of objects) {
    try {
      const object = CalendarReader.read(text);
      read.push(object);
      events += object.events.length;
    } catch (error) {
      // Objects are independent: one of them is malformed, and the others are not.
      if (!(error instanceof CalendarError) || error.reason !== 'malformed') throw error;
      unreadable += 1;
    }
    if (events > CALENDAR_LIMITS.events)
      throw new CalendarError('too_large', `the range has more than ${CALENDAR_LIMITS.events} events: ask for less`);
  }
  const found = findEvents(read, query);
  return { ...found, truncated: found.truncated || truncated, unreadable: found.unreadable + unreadable };
}
