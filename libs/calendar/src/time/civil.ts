// SPDX-License-Identifier: Apache-2.0
//
// Dates of the proleptic Gregorian calendar as integers. A *local time* is the number of seconds that a clock on the
// wall has counted since 1970-01-01T00:00:00 on the same wall; a *day* is the number of days since then.

export const DAY_SECONDS = 86_400;
/** The first and the last day that RFC 3339 can write: years 0001 to 9999. */
export const FIRST_DAY = dayOf(1, 1, 1);
export const LAST_DAY = dayOf(9_999, 12, 31);

export interface CivilDate {
  readonly year: number;
  /** 1 to 12 */
  readonly month: number;
  /** 1 to 31 */
  readonly date: number;
}

/** The day of a date that exists, by Howard Hinnant's `days_from_civil`: in the year that begins on 1 March. */
export function dayOf(year: number, month: number, date: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + date - 1;
  return (
    era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
  );
}

export function dateOf(day: number): CivilDate {
  const z = day + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const leaps = Math.floor(dayOfEra / 1_460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    date: dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1,
  };
}

export const daysOfMonth = (year: number, month: number): number =>
  (month === 12 ? dayOf(year + 1, 1, 1) : dayOf(year, month + 1, 1)) - dayOf(year, month, 1);

/** 0 is Monday, 6 is Sunday: 1970-01-01 was a Thursday. */
export const weekdayOf = (day: number): number => (((day + 3) % 7) + 7) % 7;

export const dayOfSeconds = (seconds: number): number => Math.floor(seconds / DAY_SECONDS);

/** The first day of the week of `day`, for weeks that begin on `weekStart`. */
export const weekOf = (day: number, weekStart: number): number => day - ((weekdayOf(day) - weekStart + 7) % 7);

/** The first day of week 1 of a year: the first week with four days in it (RFC 5545, 3.3.10, BYWEEKNO). */
export const firstWeekOf = (year: number, weekStart: number): number => weekOf(dayOf(year, 1, 4), weekStart);

const digits = (value: number, length: number): string => String(value).padStart(length, '0');

/** A time as RFC 3339 writes it. Offsets with seconds, which are historical, are rounded to the minute. */
export function rfc3339(utcSeconds: number, offsetSeconds: number): string {
  const minutes = Math.round(offsetSeconds / 60);
  const local = utcSeconds + minutes * 60;
  const day = dayOfSeconds(local);
  const { year, month, date } = dateOf(day);
  const second = local - day * DAY_SECONDS;
  const clock = [Math.floor(second / 3_600), Math.floor(second / 60) % 60, second % 60].map((part) => digits(part, 2));
  const [far, sign] = [Math.abs(minutes), minutes < 0 ? '-' : '+'];
  const offset = `${sign}${digits(Math.floor(far / 60), 2)}:${digits(far % 60, 2)}`;
  return `${digits(year, 4)}-${digits(month, 2)}-${digits(date, 2)}T${clock.join(':')}${offset}`;
}
