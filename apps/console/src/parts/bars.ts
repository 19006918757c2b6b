// SPDX-License-Identifier: Apache-2.0

/** A number of one series on one day. */
export interface Count {
  readonly day: string;
  /** null: it belongs to no known one */
  readonly of: string | null;
  readonly value: number;
}

/** A series with a value for each day, in the order of the days. */
export interface Series {
  readonly of: string | null;
  readonly values: readonly number[];
  readonly total: number;
}

export interface Stacks {
  /** the largest first; all that there is no colour for are one series at the end */
  readonly series: readonly Series[];
  readonly others: Series | null;
  /** of each day, over all series */
  readonly totals: readonly number[];
  readonly max: number;
}

const sum = (values: readonly number[]): number => values.reduce((before, value) => before + value, 0);
const added = (all: readonly (readonly number[])[], days: number): readonly number[] =>
  Array.from({ length: days }, (_, at) => sum(all.map((values) => values[at] ?? 0)));

/**
 * Series of counts by day. Days without a count have 0; counts of other days are left out.
 * @param seriesMax how many series stay on their own
 */
export function stacksOf(counts: readonly Count[], days: readonly string[], seriesMax: number): Stacks {
  const places = new Map(days.map((day, at) => [day, at]));
  const found = new Map<string | null, number[]>();
  for (const { day, of, value } of counts) {
    const at = places.get(day);
    if (at === undefined) continue;
    const values = found.get(of) ?? days.map(() => 0);
    values[at] = (values[at] ?? 0) + value;
    found.set(of, values);
  }
  const all = [...found]
    .map(([of, values]) => ({ of, values, total: sum(values) }))
    .sort((a, b) => b.total - a.total || String(a.of).localeCompare(String(b.of), 'en'));
  const rest = all.slice(seriesMax).map(({ values }) => values);
  const others = rest.length === 0 ? null : added(rest, days.length);
  const totals = added(
    all.map(({ values }) => values),
    days.length,
  );
  return {
    series: all.slice(0, seriesMax),
    others: others === null ? null : { of: null, values: others, total: sum(others) },
    totals,
    max: Math.max(0, ...totals),
  };
}
