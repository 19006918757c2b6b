// SPDX-License-Identifier: Apache-2.0
import { parseOffset, parseWrittenTime } from '../ics/values.ts';
import type { Component, ZoneDefinition } from '../ics/read-calendar.ts';
import { Unreadable } from '../ics/unreadable.ts';
import { occurrences } from '../recurrence/occurrences.ts';
import { parseRule } from '../recurrence/rule.ts';
import type { StepBudget } from '../recurrence/step-budget.ts';
import type { Zone } from './zone.ts';

/** A change of the offset: at a time in UTC, to seconds east of UTC. */
interface Change {
  readonly at: number;
  readonly offset: number;
}

/** The years 1601 to 9999 have 17,000. */
const CHANGES_MAX = 20_000;

/**
 * The zone that a VTIMEZONE defines (RFC 5545, 3.6.5), for times until `lastLocal`.
 * @throws Unreadable for a definition that can't be followed within the budget
 */
export function definedZone(definition: ZoneDefinition, lastLocal: number, budget: StepBudget): Zone {
  const changes: Change[] = [];
  let earliest: { readonly local: number; readonly before: number } | null = null;
  for (const observance of definition.observances) {
    const { start, before, offset } = headOf(observance);
    if (earliest === null || start < earliest.local) earliest = { local: start, before };
    for (const local of onsetsOf(observance, start, before, lastLocal, budget)) {
      changes.push({ at: local - before, offset });
      if (changes.length > CHANGES_MAX) throw new Unreadable('a time zone changes too often');
    }
  }
  if (earliest === null) throw new Unreadable('a time zone has no STANDARD and no DAYLIGHT part');
  if (budget.exhausted) throw new Unreadable('a time zone has a rule that repeats too often');
  changes.sort((a, b) => a.at - b.at);
  return new DefinedZone(changes, earliest.before);
}

function headOf({ properties }: Component): { start: number; before: number; offset: number } {
  const [start, before, offset] = ['DTSTART', 'TZOFFSETFROM', 'TZOFFSETTO'].map((name) => properties.get(name)?.[0]);
  if (start === undefined || before === undefined || offset === undefined)
    throw new Unreadable('a part of a time zone has no start or no offsets');
  return {
    start: parseWrittenTime(start.value).local,
    before: parseOffset(before.value),
    offset: parseOffset(offset.value),
  };
}

/** The local times, counted with the offset before them, at which a part of a time zone begins. */
function* onsetsOf(
  { properties }: Component,
  start: number,
  before: number,
  lastLocal: number,
  budget: StepBudget,
): Generator<number> {
  yield start;
  for (const { value } of properties.get('RDATE') ?? [])
    for (const text of value.split(',')) yield parseWrittenTime(text.split('/')[0] ?? '').local;
  for (const { value } of properties.get('RRULE') ?? []) {
    const rule = parseRule(value);
    const until = rule.until === null ? lastLocal : rule.until.local + (rule.until.kind === 'utc' ? before : 0);
    yield* occurrences(rule, start, { first: start + 1, last: Math.min(until, lastLocal) }, budget);
  }
}

class DefinedZone implements Zone {
  readonly name = null;
  readonly #changes: readonly Change[];
  readonly #first: number;

  constructor(changes: readonly Change[], first: number) {
    this.#changes = changes;
    this.#first = first;
  }

  offsetAt(utcSeconds: number): number {
    let [low, high] = [0, this.#changes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#changes[middle]?.at ?? Infinity) <= utcSeconds) low = middle + 1;
      else high = middle;
    }
    return this.#changes[low - 1]?.offset ?? this.#first;
  }
}
