// SPDX-License-Identifier: Apache-2.0
import { endOf } from './ics/event-times.ts';
import type { Duration } from './ics/values.ts';
import { occurrences } from './recurrence/occurrences.ts';
import type { StepBudget } from './recurrence/step-budget.ts';
import type { Added, Instance, Series } from './series.ts';
import { DAY_SECONDS, dayOfSeconds } from './time/civil.ts';
import { utcOf, type Zone } from './time/zone.ts';

/** A time span in UTC: from `from` until before `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** RFC 4791, 9.9: what lasts overlaps; what has no duration lies within. */
export const overlaps = ({ start, end }: Pick<Instance, 'start' | 'end'>, { from, to }: Span): boolean =>
  start < to && (end > from || (start === end && start >= from));

/** The instances of a series that overlap the span, by their original local time. It ends early without a budget. */
export function* instancesOf(series: Series, span: Span, budget: StepBudget): Generator<Instance, void> {
  const { zone, isDate, without } = series;
  let previous = NaN;
  let changed = -1;
  for (const { local, duration } of localTimes(series, windowOf(series, span), budget)) {
    // Both are ascending.
    while ((series.changes[changed + 1]?.from ?? Infinity) <= local) changed += 1;
    const at = utcOf(zone, local);
    // Two local times around a gap can be the same instant.
    if (at === previous) continue;
    previous = at;
    if (without.instants.has(at) || without.days.has(dayOfSeconds(local))) continue;
    const change = series.changes[changed];
    const moved = local + (change?.shift ?? 0);
    const day = change?.isDate ?? isDate;
    const start = day ? dayOfSeconds(moved) * DAY_SECONDS : moved;
    const instance = {
      component: change?.component ?? series.component,
      start: utcOf(zone, start),
      end: endOf(zone, start, duration ?? change?.duration ?? series.duration),
      zone,
      isDate: day,
      original: series.recurs ? { at, zone } : null,
    };
    if (overlaps(instance, span)) yield instance;
  }
}

/**
 * The original local times whose instances may overlap the span. A day by the calendar can be longer than 24 hours, and
 * a change of the offset near either end moves what is there.
 */
function windowOf({ zone, duration, added, changes }: Series, { from, to }: Span): { first: number; last: number } {
  let [longest, shift] = [longestOf(duration), 0];
  for (const change of changes) {
    // What becomes a whole day starts up to a day earlier.
    longest = Math.max(longest, longestOf(change.duration) + (change.isDate ? DAY_SECONDS : 0));
    shift = Math.max(shift, Math.abs(change.shift));
  }
  for (const one of added) if (one.duration !== null) longest = Math.max(longest, longestOf(one.duration));
  const [start, end] = [from - longest - shift, to + shift];
  return {
    first: start + zone.offsetAt(start) - changeAround(zone, start),
    last: end + zone.offsetAt(end) + changeAround(zone, end),
  };
}

const longestOf = ({ days, seconds }: Duration): number => (days > 0 ? (days + 1) * DAY_SECONDS : 0) + seconds;

/** By how many seconds the offset of a zone changes within a day of a time. */
function changeAround(zone: Zone, utcSeconds: number): number {
  const offsets = [-DAY_SECONDS, 0, DAY_SECONDS].map((distance) => zone.offsetAt(utcSeconds + distance));
  return Math.max(...offsets) - Math.min(...offsets);
}

/** All local times of the series in the window, ascending and each once: its start, RDATEs and rules. */
function* localTimes(
  { start, rules, added }: Series,
  window: { first: number; last: number },
  budget: StepBudget,
): Generator<Added, void> {
  // Rules begin with the start, unless they end before it, as a series does that is deleted from its first instance on.
  const listed = (rules.length > 0 ? [...added] : [...added, { local: start, duration: null }])
    .filter(({ local }) => local >= window.first && local <= window.last)
    .sort((a, b) => a.local - b.local);
  const sources: Iterator<Added, void>[] = [
    eachOf(listed),
    ...rules.map(({ rule, lastLocal }) =>
      eachOf(occurrences(rule, start, { ...window, last: Math.min(window.last, lastLocal) }, budget)),
    ),
  ];
  const heads = sources.map((source) => source.next());
  let previous = NaN;
  // Rules spend the budget. What is listed costs as much as it did to read it.
  for (;;) {
    // Of equal times, the listed one, which may have a duration of its own.
    let least: Added | null = null;
    let index = -1;
    heads.forEach((head, n) => {
      if (head.done !== true && (least === null || head.value.local < least.local)) [least, index] = [head.value, n];
    });
    const source = sources[index];
    const next = least as Added | null;
    if (source === undefined || next === null) return;
    heads[index] = source.next();
    if (next.local !== previous) yield next;
    previous = next.local;
  }
}

function* eachOf(times: Iterable<Added | number>): Generator<Added, void> {
  for (const time of times) yield typeof time === 'number' ? { local: time, duration: null } : time;
}
