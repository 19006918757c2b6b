// SPDX-License-Identifier: Apache-2.0
import { EVENT_LIMITS, type CalendarAttendee, type CalendarEvent, type CalendarPerson } from '@writ/contract';
import { decodeText, type Property } from './content-line.ts';
import type { Component } from './read-calendar.ts';

/** What an event says, apart from its times. */
export type EventTexts = Pick<
  CalendarEvent,
  'uid' | 'summary' | 'description' | 'location' | 'status' | 'organizer' | 'attendees' | 'url'
>;

/** A text of at most that many UTF-16 code units, without half of a character at its end. */
function cut(text: string, chars: number): string {
  const whole = text.toWellFormed();
  if (whole.length <= chars) return whole;
  const head = whole.slice(0, chars - 1);
  return `${head.isWellFormed() ? head : head.slice(0, -1)}…`;
}

/** The texts of a VEVENT (RFC 5545, 3.8.1, 3.8.4). */
export function textsOf({ properties }: Component): EventTexts {
  const first = (name: string): Property | undefined => properties.get(name)?.[0];
  const textOf = (name: string, chars: number): string | null => {
    const value = first(name)?.value ?? '';
    // An escaped character has two.
    return value === '' ? null : cut(decodeText(value.slice(0, 2 * chars + 2)), chars);
  };
  const status = first('STATUS')?.value.trim().toUpperCase();
  const organizer = first('ORGANIZER');
  const url = first('URL')?.value.trim() ?? '';
  return {
    uid: textOf('UID', EVENT_LIMITS.shortChars) ?? '',
    summary: textOf('SUMMARY', EVENT_LIMITS.lineChars),
    description: textOf('DESCRIPTION', EVENT_LIMITS.descriptionChars),
    location: textOf('LOCATION', EVENT_LIMITS.lineChars),
    status: status === 'CANCELLED' ? 'cancelled' : status === 'TENTATIVE' ? 'tentative' : 'confirmed',
    organizer: organizer === undefined ? null : personOf(organizer),
    attendees: (properties.get('ATTENDEE') ?? []).slice(0, EVENT_LIMITS.attendees).map(attendeeOf),
    url: url === '' ? null : cut(url, EVENT_LIMITS.shortChars),
  };
}

function personOf({ value, parameters }: Property): CalendarPerson {
  const name = parameters.get('CN') ?? '';
  return {
    name: name === '' ? null : cut(name, EVENT_LIMITS.shortChars),
    address: cut(value.trim().replace(/^mailto:/i, ''), EVENT_LIMITS.shortChars),
  };
}

function attendeeOf(property: Property): CalendarAttendee {
  const response = property.parameters.get('PARTSTAT')?.toLowerCase() ?? '';
  return { ...personOf(property), response: response === '' ? null : cut(response, EVENT_LIMITS.shortChars) };
}

/** Whether summary, description or location contains the text, in any case. */
export function isMatchingText({ properties }: Component, text: string | null): boolean {
  if (text === null) return true;
  return ['SUMMARY', 'DESCRIPTION', 'LOCATION'].some((name) =>
    foldCase(decodeText(properties.get(name)?.[0]?.value ?? '')).includes(text),
  );
}

/** A text as it is compared: compatible characters alike, and without case. */
export const foldCase = (text: string): string => text.normalize('NFKC').toLowerCase();
