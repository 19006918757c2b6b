// SPDX-License-Identifier: Apache-2.0
//
// Compares schedules with the main loop of Vixie cron, minute by minute over every change of the clocks in Node.js's
// time zone data.
import fc from 'fast-check';
import { parseSchedule } from './cron-schedule.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const [FROM, TO] = [Date.UTC(2026, 0, 1), Date.UTC(2028, 0, 1)];
/** On both sides of a change: longer than a day, so that a time of day comes before it and after it. */
const AROUND = 30 * HOUR;
/** Due times that one comparison looks at. */
const COMPARED = 40;

/** A field: its text, the values that it matches, and whether it begins with `*`. */
interface Field {
  readonly text: string;
  readonly fits: ReadonlySet<number>;
  readonly isStar: boolean;
}
interface Expression {
  readonly minute: Field;
  readonly hour: Field;
  readonly day: Field;
  readonly month: Field;
  readonly weekday: Field;
}
type Bounds = readonly [low: number, high: number];
interface Change {
  readonly zone: string;
  readonly at: number;
}

const stepped = (low: number, high: number, step: number): number[] =>
  Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, n) => low + n * step);

/** One member of a field's list: its numbers lie between the two; `*` means all that the field may have. */
function member([low, high]: Bounds, all: Bounds): fc.Arbitrary<Field> {
  const value = fc.integer({ min: low, max: high });
  const range = fc.tuple(value, value).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
  const step = fc.integer({ min: 1, max: Math.min(20, high) });
  return fc.oneof(
    { weight: 6, arbitrary: value.map((n) => ({ text: String(n), fits: new Set([n]), isStar: false })) },
    {
      weight: 2,
      arbitrary: range.map(([a, b]) => ({ text: `${a}-${b}`, fits: new Set(stepped(a, b, 1)), isStar: false })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(range, step)
        .map(([[a, b], by]) => ({ text: `${a}-${b}/${by}`, fits: new Set(stepped(a, b, by)), isStar: false })),
    },
    { weight: 1, arbitrary: step.map((by) => ({ text: `*/${by}`, fits: new Set(stepped(...all, by)), isStar: true })) },
  );
}

const everything = (low: number, high: number): Field => ({
  text: '*',
  fits: new Set(stepped(low, high, 1)),
  isStar: true,
});
const listed = (within: Bounds, all = within): fc.Arbitrary<Field> =>
  fc
    .array(member(within, all), { minLength: 1, maxLength: 3 })
    .map((members) => ({
      text: members.map(({ text }) => text).join(','),
      fits: new Set(members.flatMap(({ fits }) => [...fits])),
      isStar: members[0]!.isStar,
    }));
const field = (low: number, high: number, starWeight: number): fc.Arbitrary<Field> =>
  fc.oneof(
    { weight: 4, arbitrary: listed([low, high]) },
    { weight: starWeight, arbitrary: fc.constant(everything(low, high)) },
  );
/** Clocks change at night, so most hours are of the night. */
const hours = fc.oneof(
  { weight: 3, arbitrary: listed([0, 4], [0, 23]) },
  { weight: 1, arbitrary: listed([22, 23], [0, 23]) },
  { weight: 2, arbitrary: field(0, 23, 4) },
);
const expressions: fc.Arbitrary<Expression> = fc.record({
  minute: field(0, 59, 1),
  hour: hours,
  day: field(1, 31, 12),
  month: field(1, 12, 20),
  weekday: field(0, 6, 8),
});
const textOf = ({ minute, hour, day, month, weekday }: Expression): string =>
  [minute, hour, day, month, weekday].map(({ text }) => text).join(' ');

/** The offset from the formatted zone name, independently of the code under test. */
const offsets = new Map<string, Intl.DateTimeFormat>();
function offsetOf(zone: string, moment: number): number {
  let format = offsets.get(zone);
  if (format === undefined)
    offsets.set(zone, (format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })));
  const [, sign = '+', hour = '0', minute = '0'] = /GMT(?:([+-])(\d\d):(\d\d))?$/.exec(format.format(moment)) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hour) * HOUR + Number(minute) * MINUTE);
}

/** All changes of a zone's clocks in those years, to the minute. */
function changesOf(zone: string): Change[] {
  const found: Change[] = [];
  for (let day = FROM; day < TO; day += DAY) {
    const after = offsetOf(zone, day + DAY);
    if (offsetOf(zone, day) === after) continue;
    let [before, at] = [day, day + DAY];
    while (at - before > MINUTE) {
      const middle = before + Math.floor((at - before) / 2 / MINUTE) * MINUTE;
      if (offsetOf(zone, middle) === after) at = middle;
      else before = middle;
    }
    found.push({ zone, at });
  }
  return found;
}

function isDue({ minute, hour, day, month, weekday }: Expression, reading: number): boolean {
  const shown = new Date(reading);
  const [ofDay, ofWeekday] = [day.fits.has(shown.getUTCDate()), weekday.fits.has(shown.getUTCDay())];
  return (
    minute.fits.has(shown.getUTCMinutes()) &&
    hour.fits.has(shown.getUTCHours()) &&
    month.fits.has(shown.getUTCMonth() + 1) &&
    (day.isStar || weekday.isStar ? ofDay && ofWeekday : ofDay || ofWeekday)
  );
}

/**
 * What the clocks show in each minute from a day before a change to a day after it. Zones whose clocks change alike
 * share them.
 */
const shown = new Map<string, number[]>();
const kindOf = ({ zone, at }: Change): string => `${at} ${offsetOf(zone, at - MINUTE)} ${offsetOf(zone, at)}`;
function readingsOf(change: Change): number[] {
  const kind = kindOf(change);
  const moments = stepped(change.at - AROUND, change.at + AROUND, MINUTE);
  const readings = shown.get(kind) ?? moments.map((moment) => moment + offsetOf(change.zone, moment));
  shown.set(kind, readings);
  return readings;
}

/**
 * The loop of Vixie cron 4.1 (`cron.c`) from a day before a change to a day after it: the moments at which it starts
 * the job.
 */
function vixie(expression: Expression, change: Change): number[] {
  const isWild = expression.minute.isStar || expression.hour.isStar;
  const started: number[] = [];
  const readings = readingsOf(change);
  let virtual = readings[0]! - MINUTE;
  for (const [minutes, running] of readings.entries()) {
    const moment = change.at - AROUND + minutes * MINUTE;
    let starts = isWild && isDue(expression, running);
    // Fixed times wait until the clocks have caught up, and are made up for where the clocks left them out.
    for (; virtual < running; virtual += MINUTE) starts ||= !isWild && isDue(expression, virtual + MINUTE);
    if (starts) started.push(moment);
  }
  return started;
}

/** What the schedule says from a moment on, and what the loop did. */
function both(expression: Expression, change: Change, start: number): [number[], number[]] {
  const until = change.at + AROUND;
  const expected = vixie(expression, change)
    .filter((moment) => moment > start)
    .slice(0, COMPARED);
  const schedule = parseSchedule(textOf(expression), change.zone, start);
  const due: number[] = [];
  for (let at = schedule.after(start); at !== null && at <= until && due.length < COMPARED; at = schedule.after(at))
    due.push(at);
  return [due, expected];
}

const changes = Intl.supportedValuesOf('timeZone').flatMap(changesOf);
const zones = new Set(changes.map(({ zone }) => zone));
const kinds = [...new Map(changes.map((change) => [kindOf(change), change])).values()];
/** Some expressions never come due; another test covers them. */
const comesDue = ({ day, month, weekday }: Expression): boolean =>
  [day, month, weekday].every(({ isStar }) => isStar) || month.fits.size > 6;

it('there are changes of the clocks to look at: at midnight, by half an hour, by two hours, and several in a year', () => {
  expect(changes.length).toBeGreaterThan(300);
  for (const zone of [
    'Europe/Berlin',
    'America/Scoresbysund',
    'Australia/Lord_Howe',
    'Antarctica/Troll',
    'Africa/Casablanca',
  ])
    expect([...zones]).toContain(zone);
});

it('a schedule is due when Vixie cron starts its job, at any change of the clocks in any zone', () => {
  const start = fc.oneof(
    fc.integer({ min: -AROUND / MINUTE, max: AROUND / MINUTE }),
    fc.integer({ min: -130, max: 130 }),
  );
  fc.assert(
    fc.property(expressions.filter(comesDue), fc.constantFrom(...changes), start, (expression, change, minutes) => {
      const [due, expected] = both(expression, change, change.at + minutes * MINUTE);
      expect(due).toEqual(expected);
    }),
    { numRuns: 400 },
  );
}, 120_000);

const star = (low: number, high: number): Field => everything(low, high);
const values = (...of: number[]): Field => ({ text: of.join(','), fits: new Set(of), isStar: false });
const daily = (minute: Field, hour: Field): Expression => ({
  minute,
  hour,
  day: star(1, 31),
  month: star(1, 12),
  weekday: star(0, 6),
});
const everyHalfHour: Field = { text: '*/30', fits: new Set([0, 30]), isStar: true };

it.each(
  [
    daily(values(0), values(2, 14)),
    daily(values(15, 45), values(2)),
    daily(values(0, 30), values(0, 1, 2, 3, 22, 23)),
    daily(everyHalfHour, star(0, 23)),
    daily(values(5), star(0, 23)),
    daily(everyHalfHour, values(0, 2, 23)),
  ].map((expression) => [textOf(expression), expression] as const),
)(
  '`%s` is due when Vixie cron starts its job, at every kind of change that there is',
  (_text, expression) => {
    for (const change of kinds) {
      const [due, expected] = both(expression, change, change.at - AROUND);
      expect([kindOf(change), due]).toEqual([kindOf(change), expected]);
    }
  },
  120_000,
);
