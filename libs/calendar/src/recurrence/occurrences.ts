// SPDX-License-Identifier: Apache-2.0
import { dateOf, dayOf, DAY_SECONDS, dayOfSeconds, daysOfMonth, LAST_DAY, weekOf } from '../time/civil.ts';
import { monthIndexOf } from '../ics/values.ts';
import { completedRule, isMatchingDay } from './matching-days.ts';
import type { Frequency, Rule } from './rule.ts';
import type { StepBudget } from './step-budget.ts';

/** Local times, both inclusive. */
export interface LocalWindow {
  readonly first: number;
  readonly last: number;
}

/** Times of one period of a rule, such as a month: each of `bases` with each of `offsets`, both ascending. */
interface Period {
  readonly bases: readonly number[];
  readonly offsets: readonly number[];
}

/**
 * The local times at which a rule repeats an event that starts at `start`, ascending, within the window. The start is
 * the first of them, even if the rule does not name it, and counts (RFC 5545, 3.8.5.3). The generator ends early when
 * the budget is spent. A rule without COUNT is followed from the window on, however long ago it started.
 */
export function* occurrences(
  given: Rule,
  start: number,
  window: LocalWindow,
  budget: StepBudget,
): Generator<number, void> {
  const rule = completedRule(given, dayOfSeconds(start));
  const last = Math.min(window.last, LAST_DAY * DAY_SECONDS + DAY_SECONDS - 1);
  const plain = plainUnitOf(rule, given);
  if (plain !== null) return yield* repetitions(plain * rule.interval, rule.count, start, { ...window, last }, budget);
  let left = rule.count ?? Infinity;
  if (start > last) return;
  left -= 1;
  if (start >= window.first && budget.spend()) yield start;
  const from = rule.count === null ? Math.max(start, window.first) : start;
  for (const period of periodsOf(rule, start, from, last, budget)) {
    for (const time of timesOf(period, rule.positions, from, budget)) {
      if (time <= start) continue;
      if (time > last || left <= 0) return;
      left -= 1;
      if (time >= window.first) yield time;
    }
    if (budget.exhausted) return;
  }
}

const UNITS: Partial<Record<Frequency, number>> = {
  WEEKLY: 7 * DAY_SECONDS,
  DAILY: DAY_SECONDS,
  HOURLY: 3_600,
  MINUTELY: 60,
  SECONDLY: 1,
};

/** The seconds of the frequency of a rule that only has an interval: its times are a multiplication. */
function plainUnitOf({ frequency }: Rule, given: Rule): number | null {
  const lists = [given.seconds, given.minutes, given.hours, given.weekdays, given.monthDays, given.yearDays];
  const more = [given.weeks, given.months, given.positions];
  return [...lists, ...more].some((list) => list.length > 0) ? null : (UNITS[frequency] ?? null);
}

function* repetitions(
  step: number,
  count: number | null,
  start: number,
  window: LocalWindow,
  budget: StepBudget,
): Generator<number, void> {
  let n = Math.max(0, Math.ceil((window.first - start) / step));
  for (; n < (count ?? Infinity); n += 1) {
    const time = start + n * step;
    if (time > window.last || !budget.spend()) return;
    yield time;
  }
}

/** Counts positions of BYSETPOS without making the list that they point into. */
function* timesOf(
  { bases, offsets }: Period,
  positions: readonly number[],
  from: number,
  budget: StepBudget,
): Generator<number, void> {
  if (positions.length > 0) {
    const size = bases.length * offsets.length;
    const places = positions.map((position) => (position > 0 ? position - 1 : size + position));
    for (const place of [...new Set(places)].sort((a, b) => a - b)) {
      if (!budget.spend()) return;
      const [base, offset] = [bases[Math.floor(place / offsets.length)], offsets[place % offsets.length]];
      if (place >= 0 && base !== undefined && offset !== undefined) yield base + offset;
    }
    return;
  }
  const longest = offsets.at(-1) ?? 0;
  for (const base of bases) {
    if (base + longest < from) continue;
    for (const offset of offsets) {
      if (!budget.spend()) return;
      if (base + offset >= from) yield base + offset;
    }
  }
}

/** The periods from the one of `from` on that have a time. */
function periodsOf(rule: Rule, start: number, from: number, last: number, budget: StepBudget): Generator<Period> {
  const unit = UNITS[rule.frequency] ?? DAY_SECONDS;
  return unit < DAY_SECONDS
    ? periodsWithinDays(rule, unit, start, from, last, budget)
    : periodsOfDays(rule, start, from, last, budget);
}

function* periodsOfDays(
  rule: Rule,
  start: number,
  from: number,
  last: number,
  budget: StepBudget,
): Generator<Period, void> {
  const second = start - dayOfSeconds(start) * DAY_SECONDS;
  const offsets = secondsOfDay(rule, second);
  const [first, now] = [periodOf(rule, dayOfSeconds(start)), periodOf(rule, dayOfSeconds(from))];
  const cost = stepsOfDay(rule);
  let period = first + Math.max(0, Math.floor((now - first) / rule.interval)) * rule.interval;
  for (; ; period += rule.interval) {
    const bases: number[] = [];
    for (const [firstDay, lastDay] of stretchesOf(rule, period)) {
      // A year that begins after the end: nothing follows.
      if (firstDay * DAY_SECONDS > last) return yield { bases, offsets };
      for (let day = firstDay; day <= lastDay; day += 1) {
        if (!budget.spend(cost)) return;
        if (isMatchingDay(rule, day)) bases.push(day * DAY_SECONDS);
      }
    }
    if (bases.length > 0) yield { bases, offsets };
    // A rule of months that this year doesn't have still ends.
    if (!budget.spend()) return;
  }
}

/** A day is compared with each member of the longer lists. */
const stepsOfDay = ({ yearDays, weekdays }: Rule): number => 1 + ((yearDays.length + weekdays.length) >> 5);

/** The number of the period that a day is in: of the year, the month, the week or the day. */
function periodOf({ frequency, weekStart }: Rule, day: number): number {
  if (frequency === 'YEARLY') return dateOf(day).year;
  if (frequency === 'MONTHLY') return monthIndexOf(day);
  return frequency === 'WEEKLY' ? (weekOf(day, weekStart) - weekOf(0, weekStart)) / 7 : day;
}

/** The days of a period, as pairs of a first and a last day: of a year, only the months that the rule names. */
function stretchesOf({ frequency, months, weekStart }: Rule, period: number): [number, number][] {
  const month = (year: number, number: number): [number, number] => {
    const first = dayOf(year, number, 1);
    return [first, first + daysOfMonth(year, number) - 1];
  };
  if (frequency === 'YEARLY')
    return months.length > 0
      ? months.map((number) => month(period, number))
      : [[dayOf(period, 1, 1), dayOf(period, 12, 31)]];
  if (frequency === 'MONTHLY') return [month(Math.floor(period / 12), (period % 12) + 1)];
  if (frequency === 'DAILY') return [[period, period]];
  const monday = weekOf(0, weekStart) + period * 7;
  return [[monday, monday + 6]];
}

function secondsOfDay({ hours, minutes, seconds }: Rule, second: number): number[] {
  const orOf = (list: readonly number[], own: number): readonly number[] => (list.length > 0 ? list : [own]);
  return orOf(hours, Math.floor(second / 3_600)).flatMap((hour) =>
    orOf(minutes, Math.floor(second / 60) % 60).flatMap((minute) =>
      orOf(seconds, second % 60).map((rest) => hour * 3_600 + minute * 60 + rest),
    ),
  );
}

/** Hours, minutes and seconds. It steps over a day, an hour or a minute that the rule doesn't name at once. */
function* periodsWithinDays(
  rule: Rule,
  unit: number,
  start: number,
  from: number,
  last: number,
  budget: StepBudget,
): Generator<Period, void> {
  const base = Math.floor(start / unit) * unit;
  const step = unit * rule.interval;
  const aligned = (time: number): number => base + Math.ceil((time - base) / step) * step;
  const second = start - dayOfSeconds(start) * DAY_SECONDS;
  const within = secondsOfDay({ ...rule, hours: [0], minutes: unit === 3_600 ? rule.minutes : [0] }, second);
  const offsets = unit === 1 ? [0] : within;
  let time = Math.max(base, aligned(from - unit + 1));
  const cost = stepsOfDay(rule);
  while (time <= last && budget.spend(cost)) {
    const next = nextMatch(rule, unit, time);
    if (next > time) {
      time = aligned(next);
      continue;
    }
    yield { bases: [time], offsets };
    time += step;
  }
}

/** The time itself if the rule names its day, hour, minute and second, or the earliest later one that it may name. */
function nextMatch(rule: Rule, unit: number, time: number): number {
  const day = dayOfSeconds(time);
  if (!isMatchingDay(rule, day)) return (day + 1) * DAY_SECONDS;
  const levels: [size: number, around: number, list: readonly number[]][] = [
    [3_600, DAY_SECONDS, rule.hours],
    [60, 3_600, unit <= 60 ? rule.minutes : []],
    [1, 60, unit === 1 ? rule.seconds : []],
  ];
  for (const [size, around, list] of levels) {
    if (list.length === 0) continue;
    const outer = Math.floor(time / around) * around;
    const current = Math.floor((time - outer) / size);
    const wanted = list.find((value) => value >= current);
    if (wanted === undefined) return outer + around;
    if (wanted > current) return outer + wanted * size;
  }
  return time;
}
