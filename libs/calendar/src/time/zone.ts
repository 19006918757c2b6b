// SPDX-License-Identifier: Apache-2.0
import { dayOf, DAY_SECONDS, dayOfSeconds } from './civil.ts';

/** A time zone. */
export interface Zone {
  /** the name of IANA, or null for a zone that only the calendar defines */
  readonly name: string | null;
  /** seconds east of UTC, at a time in seconds since 1970 */
  offsetAt(utcSeconds: number): number;
}

export const UTC: Zone = { name: 'UTC', offsetAt: () => 0 };

/**
 * The time in UTC of a local time (RFC 5545, 3.3.5). A local time that occurs twice is the first of both. One that does
 * not occur is counted with the offset before the gap: 02:30 becomes 03:30.
 */
export function utcOf(zone: Zone, local: number): number {
  // No offset is a day long, so these two are before and after any change near the local time.
  const before = zone.offsetAt(local - DAY_SECONDS);
  const after = zone.offsetAt(local + DAY_SECONDS);
  if (before === after) return local - before;
  const early = local - before;
  if (zone.offsetAt(early) === before) return early;
  const late = local - after;
  return zone.offsetAt(late) === after ? late : early;
}

/** Days of one zone whose offsets are kept: some ten years. */
const DAYS_KEPT = 4_096;
/** What IANA's names are made of. `Intl` also takes offsets such as `+01:00`, which are no names. */
const IANA_NAME = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+){0,3}$/;

/** Reads offsets from the time zone data of the runtime. A day without a change is looked up once. */
class IanaZone implements Zone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #offsets = new Map<number, number | 'changes'>();

  constructor(name: string, format: Intl.DateTimeFormat) {
    this.name = name;
    this.#format = format;
  }

  offsetAt(utcSeconds: number): number {
    const day = dayOfSeconds(utcSeconds);
    let known = this.#offsets.get(day);
    if (known === undefined) {
      const first = this.#read(day * DAY_SECONDS);
      known = first === this.#read((day + 1) * DAY_SECONDS) ? first : 'changes';
      if (this.#offsets.size >= DAYS_KEPT) this.#offsets.clear();
      this.#offsets.set(day, known);
    }
    return known === 'changes' ? this.#read(utcSeconds) : known;
  }

  #read(utcSeconds: number): number {
    const parts: Record<string, number> = {};
    for (const { type, value } of this.#format.formatToParts(utcSeconds * 1_000)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return dayOf(year, month, day) * DAY_SECONDS + hour * 3_600 + minute * 60 + second - utcSeconds;
  }
}

/** The zone of a name of IANA, or null if the runtime knows none. */
export function ianaZone(name: string): Zone | null {
  if (/^(?:UTC|Etc\/UTC|GMT|Z)$/i.test(name)) return UTC;
  if (!IANA_NAME.test(name)) return null;
  try {
    const numeric = 'numeric' as const;
    const format = new Intl.DateTimeFormat('en-US-u-ca-iso8601-nu-latn', {
      timeZone: name,
      hourCycle: 'h23',
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    });
    return new IanaZone(name, format);
  } catch {
    return null;
  }
}
