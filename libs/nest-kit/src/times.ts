// SPDX-License-Identifier: Apache-2.0
// Times in the notation of command-line options.

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The milliseconds of a period such as `90s`, `30m`, `12h` or `7d`; null for another text. */
export function periodMs(text: string): number | null {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return count === undefined ? null : Number(count) * (UNIT_MS[unit] as number);
}

/** The milliseconds since the epoch of a moment in UTC such as `2026-05-01T12:00Z`; null for another text. */
export function momentMs(text: string): number | null {
  const moment = /^\d{4}-\d\d-\d\dT[0-9:.]+Z$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(moment) && moment >= 0 ? moment : null;
}
