// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';

const closed = { additionalProperties: false } as const;

/** Bounds of what one event has in a result. Longer texts are cut, and end in `…`. */
export const EVENT_LIMITS = {
  /** UIDs, statuses of attendees, names, addresses and URLs: RFC 5545 recommends 255 octets for a UID */
  shortChars: 1_024,
  /** summary and location: a line of a screen, with room */
  lineChars: 1_024,
  /** some two pages of notes; invitations of video services have less */
  descriptionChars: 8_192,
  /** people of one event; of more, the first are kept */
  attendees: 200,
} as const;

const Short = Type.String({ maxLength: EVENT_LIMITS.shortChars });
const Line = Type.Union([Type.String({ maxLength: EVENT_LIMITS.lineChars }), Type.Null()]);
const Time = Type.String({ format: 'date-time', description: 'RFC 3339 with the offset of the zone at that time' });

export const CalendarPerson = Type.Object(
  { name: Type.Union([Short, Type.Null()]), address: Type.String({ ...Short, description: 'without `mailto:`' }) },
  closed,
);
export type CalendarPerson = Readonly<Static<typeof CalendarPerson>>;

export const CalendarAttendee = Type.Object(
  {
    ...CalendarPerson.properties,
    response: Type.Union([Short, Type.Null()], {
      description: 'lower case, such as `accepted`, `declined`, `tentative`, `needs-action`; null: not said',
    }),
  },
  closed,
);
export type CalendarAttendee = Readonly<Static<typeof CalendarAttendee>>;

/** One event, or one instance of an event that recurs. */
export const CalendarEvent = Type.Object(
  {
    uid: Short,
    recurrence_id: Type.Union([Time, Type.Null()], {
      description: 'the original start of this instance of a recurring event; null: the event does not recur',
    }),
    summary: Line,
    description: Type.Union([Type.String({ maxLength: EVENT_LIMITS.descriptionChars }), Type.Null()]),
    location: Line,
    start: Time,
    end: Type.String({ ...Time, description: 'exclusive; equal to `start` for an event without a duration' }),
    all_day: Type.Boolean({ description: '`start` and `end` are then midnight, of the days in `time_zone`' }),
    time_zone: Type.Union([Short, Type.Null()], {
      description: 'the IANA zone of `start`; null: the calendar defines a zone that IANA does not know',
    }),
    status: Type.Enum(['confirmed', 'tentative', 'cancelled'] as const),
    organizer: Type.Union([CalendarPerson, Type.Null()]),
    attendees: Type.Array(CalendarAttendee, { maxItems: EVENT_LIMITS.attendees }),
    url: Type.Union([Short, Type.Null()]),
  },
  closed,
);
export type CalendarEvent = Readonly<Static<typeof CalendarEvent>>;

/** What a search found: events by their start. */
export const CalendarFound = Type.Object(
  {
    events: Type.Array(CalendarEvent),
    truncated: Type.Boolean({
      description: 'there may be more: the limit is reached, or a rule repeats too often to be followed in whole',
    }),
    unreadable: Type.Integer({
      minimum: 0,
      description: 'events of the calendar that are left out, because they are malformed or in an unknown time zone',
    }),
  },
  closed,
);
export type CalendarFound = Readonly<Static<typeof CalendarFound>>;
