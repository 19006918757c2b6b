// SPDX-License-Identifier: Apache-2.0
import type { CalendarEvent, CalendarFound } from '@writ/contract';
import type { ParsedQuery } from './calendar-query.ts';
import { foldCase, isMatchingText, textsOf } from './ics/event-texts.ts';
import type { ZoneContext } from './ics/event-times.ts';
import type { CalendarObject, Component } from './ics/read-calendar.ts';
import { Unreadable } from './ics/unreadable.ts';
import { instancesOf, overlaps } from './instances.ts';
import { StepBudget } from './recurrence/step-budget.ts';
import { overrideInstance, readSeries, type Instance } from './series.ts';
import { DAY_SECONDS, FIRST_DAY, LAST_DAY, rfc3339 } from './time/civil.ts';
import { ianaZone, UTC, type Zone } from './time/zone.ts';
import { ZoneTable } from './time/zone-table.ts';

export const STEP_LIMITS = {
  /** of one event: daily for 270 years, or each second for two days */
  series: 200_000,
  /** of one search: some seconds of a processor */
  search: 5_000_000,
} as const;

/** Finds the events of calendar objects in a range: expanded, filtered and by their start. Total for any object. */
export function findEvents(objects: readonly CalendarObject[], query: ParsedQuery): CalendarFound {
  const search = new Search(query);
  for (const object of objects) search.add(object);
  return search.result();
}

const byStart = (a: Instance, b: Instance): number =>
  a.start - b.start || a.end - b.end || (a.original?.at ?? 0) - (b.original?.at ?? 0);

class Search {
  readonly #query: ParsedQuery;
  readonly #text: string | null;
  readonly #budget = new StepBudget(STEP_LIMITS.search);
  readonly #iana = new Map<string, Zone | null>();
  readonly #matching = new Map<Component, boolean>();
  #found: Instance[] = [];
  #truncated = false;
  #unreadable = 0;

  constructor(query: ParsedQuery) {
    this.#query = query;
    this.#text = query.text === null ? null : foldCase(query.text);
  }

  add({ events, zones, timeZone }: CalendarObject): void {
    const lastLocal = this.#query.to + 400 * DAY_SECONDS;
    const name = this.#query.floatingZone ?? timeZone;
    const floating = (name === null ? null : this.#zoneNamed(name)) ?? UTC;
    const context = { zones: new ZoneTable(zones, this.#iana, lastLocal, this.#budget), floating };
    for (const { master, overrides } of groupedByUid(events)) {
      for (const override of overrides) this.#readable(() => this.#keep(overrideInstance(override, context)));
      if (master !== null) this.#readable(() => this.#expand(master, overrides, context));
    }
  }

  result(): CalendarFound {
    this.#trim();
    const { limit } = this.#query;
    return {
      events: this.#found.slice(0, limit).map(eventOf),
      truncated: this.#truncated || this.#found.length > limit || this.#budget.exhausted,
      unreadable: this.#unreadable,
    };
  }

  #zoneNamed(name: string): Zone | null {
    let zone = this.#iana.get(name);
    if (zone === undefined) this.#iana.set(name, (zone = ianaZone(name)));
    return zone;
  }

  #readable(read: () => void): void {
    try {
      read();
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.#unreadable += 1;
    }
  }

  #expand(master: Component, overrides: readonly Component[], context: ZoneContext): void {
    const series = readSeries(master, overrides, context);
    const components = [series.component, ...series.changes.map(({ component }) => component)];
    if (!components.some((component) => this.#isMatching(component))) return;
    const budget = new StepBudget(STEP_LIMITS.series, this.#budget);
    let kept = 0;
    for (const instance of instancesOf(series, this.#query, budget)) {
      if (this.#keep(instance)) kept += 1;
      // Later instances start later, unless a change moves them.
      if (kept > this.#query.limit && series.changes.length === 0) return;
    }
    if (budget.exhausted) this.#truncated = true;
  }

  /** Each component is read once, however often it recurs. */
  #isMatching(component: Component): boolean {
    let matching = this.#matching.get(component);
    if (matching === undefined) {
      matching = isMatchingText(component, this.#text);
      this.#matching.set(component, matching);
    }
    return matching;
  }

  /** Keeps an instance that is searched for. Its times must be ones that RFC 3339 can write. */
  #keep(instance: Instance): boolean {
    if (!overlaps(instance, this.#query) || !this.#isMatching(instance.component)) return false;
    const [first, last] = [(FIRST_DAY + 1) * DAY_SECONDS, (LAST_DAY - 1) * DAY_SECONDS];
    if (instance.start < first || instance.end > last)
      throw new Unreadable('an event is outside of the years 1 to 9999');
    this.#found.push(instance);
    if (this.#found.length > 8 * (this.#query.limit + 1)) this.#trim();
    return true;
  }

  /** One more than the limit stays, so that the result can say that there are more. */
  #trim(): void {
    this.#found.sort(byStart);
    this.#found.length = Math.min(this.#found.length, this.#query.limit + 1);
  }
}

interface Group {
  readonly master: Component | null;
  readonly overrides: readonly Component[];
}

/** Events of one UID belong together. Of two versions of the same, the one with the higher SEQUENCE counts. */
function groupedByUid(events: readonly Component[]): Group[] {
  const groups = new Map<string, Map<string, Component>>();
  events.forEach((event, n) => {
    const uid = event.properties.get('UID')?.[0]?.value.trim() ?? '';
    // What has no UID belongs to nothing else. No value of a UID begins with a line break.
    const key = uid === '' ? `\n${n}` : uid;
    const versions = groups.get(key) ?? new Map<string, Component>();
    groups.set(key, versions);
    const id = event.properties.get('RECURRENCE-ID')?.[0];
    const version = id === undefined ? '' : `${id.parameters.get('TZID') ?? ''}:${id.value}`;
    const known = versions.get(version);
    if (known === undefined || sequenceOf(event) >= sequenceOf(known)) versions.set(version, event);
  });
  return [...groups.values()].map((versions) => ({
    master: versions.get('') ?? null,
    overrides: [...versions].flatMap(([version, event]) => (version === '' ? [] : [event])),
  }));
}

const sequenceOf = ({ properties }: Component): number => {
  const value = properties.get('SEQUENCE')?.[0]?.value.trim() ?? '';
  return /^\d{1,10}$/.test(value) ? Number(value) : 0;
};

function eventOf({ component, start, end, zone, isDate, original }: Instance): CalendarEvent {
  return {
    ...textsOf(component),
    recurrence_id: original === null ? null : rfc3339(original.at, original.zone.offsetAt(original.at)),
    start: rfc3339(start, zone.offsetAt(start)),
    end: rfc3339(end, zone.offsetAt(end)),
    all_day: isDate,
    time_zone: zone.name,
  };
}
