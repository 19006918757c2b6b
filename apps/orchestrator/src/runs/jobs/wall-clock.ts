// SPDX-License-Identifier: Apache-2.0

/** The clocks of one time zone. A reading of a clock is represented by the moment at which UTC clocks show the same. */
export interface WallClock {
  /** What the clocks show at a moment, to the second. */
  readonly readingAt: (moment: number) => number;
  /**
   * The moment at which the clocks show a reading. If they show it twice, the first one; if a change of the clocks
   * skips it, the moment of the change.
   */
  readonly momentOf: (reading: number) => number;
}

const SECOND = 1_000;
/** More than any zone's offset from UTC, and less than the time between two changes of one zone. */
const DAY = 24 * 60 * 60 * SECOND;

/**
 * The clocks of an IANA time zone.
 * @throws RangeError where there is no such zone
 */
export function wallClock(timeZone: string): WallClock {
  const fields = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const readingAt = (moment: number): number => {
    const parts = Object.fromEntries(fields.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  };
  const offsetAt = (moment: number): number => readingAt(moment) - Math.floor(moment / SECOND) * SECOND;

  const momentOf = (reading: number): number => {
    const offsets = [offsetAt(reading - DAY), offsetAt(reading + DAY)];
    const moments = offsets.map((offset) => reading - offset).filter((moment) => readingAt(moment) === reading);
    if (moments.length > 0) return Math.min(...moments);
    return changeBetween(reading - Math.max(...offsets), reading - Math.min(...offsets));
  };

  /** The first second of the offset that holds at the end. */
  const changeBetween = (begin: number, end: number): number => {
    let [before, after] = [begin, end];
    const offset = offsetAt(end);
    while (after - before > SECOND) {
      const middle = before + Math.floor((after - before) / 2 / SECOND) * SECOND;
      if (offsetAt(middle) === offset) after = middle;
      else before = middle;
    }
    return after;
  };
  return { readingAt, momentOf };
}
