// SPDX-License-Identifier: Apache-2.0
import { CalendarError, searchReply, type CalendarReason, type ReplySearch } from '@writ/calendar';
import type { CalendarEvent, CalendarFound } from '@writ/contract';
import { SecretValues, type NamedValue } from '../redaction/redactor.ts';
import { shownJson } from '../redaction/shown-json.ts';

/** A reply of a server, and how much of what is found in it may be answered. */
export interface CalendarWork {
  readonly search: ReplySearch;
  /** bytes of JSON of the answer */
  readonly bytesMax: number;
  /** secret values, which are removed from texts */
  readonly named: readonly NamedValue[];
}

/** What was found; or why nothing can be, since a thread passes on no class of errors. */
export type CalendarDone =
  | { readonly found: CalendarFound }
  | { readonly failed: { readonly reason: CalendarReason; readonly message: string } };

/** Of the bytes of an answer, those of one event. Most of a larger one are its attendees. */
const EVENT_BYTES_MAX = 32 * 1024;

/** Searches of replies of calendars, whose cost the server decides, for worker threads. */
export const CALENDAR_TASKS = {
  'calendar.search': ({ search, bytesMax, named }: CalendarWork): CalendarDone => {
    try {
      const { events, truncated, unreadable } = searchReply(search);
      const kept = within(events.map(withFewerAttendees), bytesMax);
      const found = { events: kept, truncated: truncated || kept.length < events.length, unreadable };
      return { found: shownJson(new SecretValues(named), found) as CalendarFound };
    } catch (error) {
      if (!(error instanceof CalendarError)) throw error;
      return { failed: { reason: error.reason, message: error.message } };
    }
  },
} as const;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

function withFewerAttendees(event: CalendarEvent): CalendarEvent {
  let shorter = event;
  while (shorter.attendees.length > 0 && bytesOf(shorter) > EVENT_BYTES_MAX)
    shorter = { ...shorter, attendees: shorter.attendees.slice(0, Math.floor(shorter.attendees.length / 2)) };
  return shorter;
}

/** The first events, as many as fit. */
function within(events: readonly CalendarEvent[], bytesMax: number): CalendarEvent[] {
  const kept: CalendarEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    bytes += bytesOf(event) + 1;
    if (bytes > bytesMax) break;
    kept.push(event);
  }
  return kept;
}
