// SPDX-License-Identifier: Apache-2.0
import { CalendarError } from '../calendar-error.ts';
import { contentLines, nameOfLine, parseContentLine, type Property } from './content-line.ts';

/** A VEVENT, or a part of a VTIMEZONE. */
export interface Component {
  readonly name: string;
  /** the properties that we read, by upper-case name, in their order */
  readonly properties: ReadonlyMap<string, readonly Property[]>;
}

export interface ZoneDefinition {
  readonly tzid: string;
  /** STANDARD and DAYLIGHT parts */
  readonly observances: readonly Component[];
}

/** What one calendar object has of what we read. */
export interface CalendarObject {
  readonly events: readonly Component[];
  readonly zones: ReadonlyMap<string, ZoneDefinition>;
  /** the de facto property X-WR-TIMEZONE */
  readonly timeZone: string | null;
}

export const CALENDAR_LIMITS = {
  /** ten years of a busy calendar have some 5 MB */
  bytes: 16 * 1024 * 1024,
  /** of all objects of one search */
  events: 20_000,
  /** a VALARM in a VEVENT in a VCALENDAR is three */
  depth: 16,
  /** calendars with a meeting in each zone of IANA have some 600 */
  zones: 1_000,
} as const;

const READ = new Set(
  (
    'UID RECURRENCE-ID SUMMARY DESCRIPTION LOCATION DTSTART DTEND DURATION STATUS ORGANIZER ATTENDEE URL SEQUENCE ' +
    'RRULE EXRULE RDATE EXDATE TZID TZOFFSETFROM TZOFFSETTO X-WR-TIMEZONE'
  ).split(' '),
);

interface Open {
  readonly name: string;
  readonly properties: Map<string, Property[]>;
  readonly children: Component[];
}

/** Reads bytes of a text/calendar (RFC 5545, 3.4), which may have several VCALENDARs. */
export class CalendarReader {
  readonly #events: Component[] = [];
  readonly #zones = new Map<string, ZoneDefinition>();
  #timeZone: string | null = null;
  #calendars = 0;
  #stack: Open[] = [];

  /** @throws CalendarError `malformed` for what is no whole calendar, `too_large` beyond `CALENDAR_LIMITS` */
  static read(bytes: Uint8Array | string): CalendarObject {
    if (bytes.length > CALENDAR_LIMITS.bytes)
      throw new CalendarError('too_large', `the calendar has more than ${CALENDAR_LIMITS.bytes} bytes`);
    const reader = new CalendarReader();
    const text = typeof bytes === 'string' ? bytes.replace(/^\uFEFF/, '') : new TextDecoder().decode(bytes);
    for (const line of contentLines(text)) reader.#line(line);
    return reader.#finish();
  }

  #line(line: string): void {
    const name = nameOfLine(line);
    if (name === 'BEGIN') return this.#begin(line.slice(6).trim().toUpperCase());
    if (name === 'END') return this.#end(line.slice(4).trim().toUpperCase());
    const open = this.#stack.at(-1);
    // A line that can't be read is left out, as other readers do: the component shows whether it can do without.
    if (open === undefined || name === null || !READ.has(name)) return;
    const property = parseContentLine(line);
    if (property === null) return;
    const known = open.properties.get(name);
    if (known === undefined) open.properties.set(name, [property]);
    else known.push(property);
  }

  #begin(name: string): void {
    if (this.#stack.length === 0 && name !== 'VCALENDAR')
      throw new CalendarError('malformed', 'the calendar does not begin with `BEGIN:VCALENDAR`');
    if (this.#stack.length >= CALENDAR_LIMITS.depth)
      throw new CalendarError('malformed', `the calendar nests more than ${CALENDAR_LIMITS.depth} components`);
    this.#stack.push({ name, properties: new Map(), children: [] });
  }

  #end(name: string): void {
    const closed = this.#stack.pop();
    if (closed?.name !== name) throw new CalendarError('malformed', 'the calendar has an `END` without its `BEGIN`');
    const parent = this.#stack.at(-1);
    if (name === 'VCALENDAR') this.#timeZone ??= closed.properties.get('X-WR-TIMEZONE')?.[0]?.value.trim() ?? null;
    if (parent === undefined) this.#calendars += 1;
    else if (parent.name === 'VCALENDAR' && name === 'VEVENT') this.#event(closed);
    else if (parent.name === 'VCALENDAR' && name === 'VTIMEZONE') this.#zone(closed);
    else if (parent.name === 'VTIMEZONE' && (name === 'STANDARD' || name === 'DAYLIGHT')) parent.children.push(closed);
  }

  #event({ name, properties }: Open): void {
    if (this.#events.length >= CALENDAR_LIMITS.events)
      throw new CalendarError('too_large', `the calendar has more than ${CALENDAR_LIMITS.events} events`);
    this.#events.push({ name, properties });
  }

  #zone({ properties, children }: Open): void {
    const tzid = properties.get('TZID')?.[0]?.value.trim();
    if (tzid === undefined || this.#zones.has(tzid)) return;
    if (this.#zones.size >= CALENDAR_LIMITS.zones)
      throw new CalendarError('too_large', `the calendar defines more than ${CALENDAR_LIMITS.zones} time zones`);
    this.#zones.set(tzid, { tzid, observances: children });
  }

  #finish(): CalendarObject {
    if (this.#stack.length > 0)
      throw new CalendarError('malformed', 'the calendar ends before `END:VCALENDAR`: a part of it is missing');
    if (this.#calendars === 0) throw new CalendarError('malformed', 'the reply is no calendar in the format iCalendar');
    return { events: this.#events, zones: this.#zones, timeZone: this.#timeZone };
  }
}
