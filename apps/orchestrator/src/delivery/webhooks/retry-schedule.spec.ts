// SPDX-License-Identifier: Apache-2.0
import { ATTEMPTS_MAX, retryAfterMs, retryMs } from './retry-schedule.ts';

test('pauses grow over three days, each a little longer than the schedule by chance, and then it ends', () => {
  const pauses = Array.from({ length: 12 }, (_, index) => retryMs(index + 1, 0, null));
  expect(pauses.map((ms) => ms && ms / 1000)).toEqual([
    5,
    300,
    1_800,
    7_200,
    18_000,
    36_000,
    50_400,
    72_000,
    86_400,
    null,
    null,
    null,
  ]);
  expect(pauses.filter((ms) => ms !== null)).toHaveLength(ATTEMPTS_MAX - 1);
  expect([retryMs(2, 0.5, null), retryMs(2, 0.999_999, null)]).toEqual([330_000, 360_000]);
});

test('a requested pause is respected up to a day, and adds no attempt after the last', () => {
  expect([retryMs(1, 0, 60_000), retryMs(3, 0, 60_000), retryMs(1, 0, 1e12), retryMs(ATTEMPTS_MAX, 0, 60_000)]).toEqual(
    [60_000, 1_800_000, 86_400_000, null],
  );
  const now = Date.parse('2026-01-01T00:00:00Z');
  expect(
    ['120', 'Thu, 01 Jan 2026 00:01:00 GMT', 'Thu, 01 Jan 2020 00:00:00 GMT', 'soon', undefined].map((header) =>
      retryAfterMs(header, now),
    ),
  ).toEqual([120_000, 60_000, 0, null, null]);
});
