// SPDX-License-Identifier: Apache-2.0
import { DAY_SECONDS, dayOfSeconds } from '../time/civil.ts';
import { UTC, utcOf, type Zone } from '../time/zone.ts';
import type { ZoneTable } from '../time/zone-table.ts';
import type { Property } from './content-line.ts';
import type { Component } from './read-calendar.ts';
import { Unreadable } from './unreadable.ts';
import { parseDuration, parseWrittenTime, type Duration } from './values.ts';

/** A time in its zone. */
export interface ZonedTime {
  readonly local: number;
  readonly zone: Zone;
  readonly isDate: boolean;
}

/** How long an event is: by the calendar and the clock, or between two times. `days` of whole-day events are days. */
export interface EventTimes {
  readonly start: ZonedTime;
  readonly duration: Duration;
}

/** What a zone table and a zone for floating times make of what is written. */
export interface ZoneContext {
  readonly zones: ZoneTable;
  /** the zone of floating times and of dates */
  readonly floating: Zone;
}

/**
 * Reads one time of a property.
 * @throws Unreadable
 */
export function zonedTime(text: string, parameters: Property['parameters'], context: ZoneContext): ZonedTime {
  const { local, kind } = parseWrittenTime(text);
  if (kind === 'utc') return { local, zone: UTC, isDate: false };
  const tzid = parameters.get('TZID')?.trim();
  const zone = tzid === undefined || kind === 'date' ? context.floating : context.zones.zoneOf(tzid);
  return { local, zone, isDate: kind === 'date' };
}

/** The local time in `zone` of a time that is written in any zone. */
export function localIn(zone: Zone, { local, zone: own, isDate }: ZonedTime): number {
  if (zone === own || isDate) return local;
  const utc = utcOf(own, local);
  return utc + zone.offsetAt(utc);
}

/**
 * The start and the duration of a VEVENT (RFC 5545, 3.6.1).
 * @throws Unreadable for an event without a start, or that ends before it
 */
export function eventTimes({ properties }: Component, context: ZoneContext): EventTimes {
  const [dtstart, dtend, written] = ['DTSTART', 'DTEND', 'DURATION'].map((name) => properties.get(name)?.[0]);
  if (dtstart === undefined) throw new Unreadable('an event has no start');
  const start = zonedTime(dtstart.value, dtstart.parameters, context);
  if (dtend !== undefined)
    return { start, duration: between(start, zonedTime(dtend.value, dtend.parameters, context)) };
  if (written !== undefined) {
    const { days, seconds } = parseDuration(written.value);
    return { start, duration: start.isDate ? wholeDays(days + Math.ceil(seconds / DAY_SECONDS)) : { days, seconds } };
  }
  return { start, duration: start.isDate ? wholeDays(1) : { days: 0, seconds: 0 } };
}

/** Calendars write a day that ends on itself: it is one day. */
const wholeDays = (days: number): Duration => ({ days: Math.max(1, days), seconds: 0 });

/** 3.8.5.3: an end gives each instance the same exact duration. */
export function between(start: ZonedTime, end: ZonedTime): Duration {
  if (start.isDate) {
    const days = dayOfSeconds(end.local) - dayOfSeconds(start.local);
    if (days < 0) throw new Unreadable('an event ends before it starts');
    return wholeDays(days);
  }
  const exact = utcOf(end.zone, end.local) - utcOf(start.zone, start.local);
  // A start in a gap moves behind an end that doesn't: the clock on the wall says how long it is.
  const seconds = exact < 0 && end.zone === start.zone ? end.local - start.local : exact;
  if (seconds < 0) throw new Unreadable('an event ends before it starts');
  return { days: 0, seconds };
}

/** The end in UTC of what starts at a local time. */
export function endOf(zone: Zone, local: number, { days, seconds }: Duration): number {
  return utcOf(zone, local + days * DAY_SECONDS) + seconds;
}
