// SPDX-License-Identifier: Apache-2.0
import { between, endOf, eventTimes, localIn, zonedTime, type ZoneContext, type ZonedTime } from './ics/event-times.ts';
import type { Component } from './ics/read-calendar.ts';
import { Unreadable } from './ics/unreadable.ts';
import { parseDuration, type Duration } from './ics/values.ts';
import { parseRule, type Rule } from './recurrence/rule.ts';
import { DAY_SECONDS, dayOfSeconds } from './time/civil.ts';
import { utcOf, type Zone } from './time/zone.ts';

/** One time that an event takes place. Times are seconds since 1970, in UTC. */
export interface Instance {
  readonly component: Component;
  readonly start: number;
  readonly end: number;
  readonly zone: Zone;
  readonly isDate: boolean;
  /** the original start, of an instance of an event that recurs */
  readonly original: { readonly at: number; readonly zone: Zone } | null;
}

/** A change of one instance and all that follow it (RFC 5545, 3.8.4.4, `RANGE=THISANDFUTURE`). */
export interface FutureChange {
  readonly from: number;
  /** seconds between the original local time and the new one */
  readonly shift: number;
  readonly component: Component;
  readonly isDate: boolean;
  readonly duration: Duration;
}

/** A time that RDATE adds: local in the zone of the series, with a duration of its own or none. */
export interface Added {
  readonly local: number;
  readonly duration: Duration | null;
}

/** An event with what makes it recur. Local times are of `zone`. */
export interface Series {
  readonly component: Component;
  readonly zone: Zone;
  readonly isDate: boolean;
  readonly start: number;
  readonly duration: Duration;
  readonly recurs: boolean;
  readonly rules: readonly { readonly rule: Rule; readonly lastLocal: number }[];
  readonly added: readonly Added[];
  /** instances that are excluded or changed */
  readonly without: { readonly instants: ReadonlySet<number>; readonly days: ReadonlySet<number> };
  readonly changes: readonly FutureChange[];
}

/** RFC 5545 wants one; calendars with two are seen. */
const RULES_MAX = 8;

/**
 * Reads the event that a series is made of, and what excludes or changes instances of it.
 * @throws Unreadable if anything of it can't be read: a part would show instances that were called off
 */
export function readSeries(component: Component, overrides: readonly Component[], context: ZoneContext): Series {
  const { start, duration } = eventTimes(component, context);
  const { zone, isDate, local } = start;
  const of = (name: string) => component.properties.get(name) ?? [];
  if (of('EXRULE').length > 0) throw new Unreadable('an event has an EXRULE, which RFC 5545 does not have any more');
  if (of('RRULE').length > RULES_MAX) throw new Unreadable('an event has too many rules');
  const rules = of('RRULE').map(({ value }) => {
    const rule = isDate ? ruleOfDays(parseRule(value)) : parseRule(value);
    return { rule, lastLocal: lastLocalOf(rule, zone, isDate) };
  });
  const added = of('RDATE').flatMap(({ value, parameters }) =>
    value.split(',').map((text) => addedOf(text, parameters, zone, context)),
  );
  const instants = new Set<number>();
  const days = new Set<number>();
  const exclude = (time: ZonedTime): void => {
    if (isDate || time.isDate) days.add(dayOfSeconds(localIn(zone, time)));
    else instants.add(utcOf(time.zone, time.local));
  };
  for (const { value, parameters } of of('EXDATE'))
    for (const text of value.split(',')) exclude(zonedTime(text, parameters, context));
  const changes: FutureChange[] = [];
  for (const override of overrides) {
    try {
      const id = recurrenceIdOf(override, context);
      exclude(id);
      if (isFuture(override)) changes.push(futureChange(override, id, zone, context));
    } catch (error) {
      // Of one instance: whoever reads that instance counts it.
      if (!(error instanceof Unreadable) || isFuture(override)) throw error;
    }
  }
  changes.sort((a, b) => a.from - b.from);
  const recurs = rules.length > 0 || added.length > 0;
  return {
    component,
    zone,
    isDate,
    start: local,
    duration,
    recurs,
    rules,
    added,
    without: { instants, days },
    changes,
  };
}

/**
 * The instance that an override is: a VEVENT with a RECURRENCE-ID.
 * @throws Unreadable
 */
export function overrideInstance(component: Component, context: ZoneContext): Instance {
  const { start, duration } = eventTimes(component, context);
  const id = recurrenceIdOf(component, context);
  return {
    component,
    start: utcOf(start.zone, start.local),
    end: endOf(start.zone, start.local, duration),
    zone: start.zone,
    isDate: start.isDate,
    original: { at: utcOf(id.zone, id.local), zone: id.zone },
  };
}

const isFuture = ({ properties }: Component): boolean =>
  properties.get('RECURRENCE-ID')?.[0]?.parameters.get('RANGE')?.toUpperCase() === 'THISANDFUTURE';

function recurrenceIdOf({ properties }: Component, context: ZoneContext): ZonedTime {
  const id = properties.get('RECURRENCE-ID')?.[0];
  if (id === undefined) throw new Unreadable('an event has no RECURRENCE-ID');
  return zonedTime(id.value, id.parameters, context);
}

function futureChange(component: Component, id: ZonedTime, zone: Zone, context: ZoneContext): FutureChange {
  const { start, duration } = eventTimes(component, context);
  const from = localIn(zone, id);
  return { from, shift: localIn(zone, start) - from, component, isDate: start.isDate, duration };
}

/** RFC 5545, 3.3.10: times of day are ignored for what starts on a DATE. */
function ruleOfDays(rule: Rule): Rule {
  if (['HOURLY', 'MINUTELY', 'SECONDLY'].includes(rule.frequency))
    throw new Unreadable('an event of whole days repeats within days');
  return { ...rule, hours: [], minutes: [], seconds: [] };
}

/** The last local time that UNTIL allows. */
function lastLocalOf({ until }: Rule, zone: Zone, isDate: boolean): number {
  if (until === null) return Infinity;
  if (until.kind === 'date') return until.local + DAY_SECONDS - 1;
  return until.kind === 'utc' && !isDate ? until.local + zone.offsetAt(until.local) : until.local;
}

function addedOf(text: string, parameters: ReadonlyMap<string, string>, zone: Zone, context: ZoneContext): Added {
  const [first = '', end] = text.split('/');
  const time = zonedTime(first, parameters, context);
  const local = localIn(zone, time);
  if (end === undefined) return { local, duration: null };
  if (end.startsWith('P')) return { local, duration: parseDuration(end) };
  return { local, duration: between(time, zonedTime(end, parameters, context)) };
}
