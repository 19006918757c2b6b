// SPDX-License-Identifier: Apache-2.0
import { throttle } from './steps.ts';

test('at most one line in an interval is written', () => {
  let now = 0;
  const written: string[] = [];
  const write = throttle(
    (line) => written.push(line),
    1_000,
    () => now,
  );
  for (const [at, line] of [
    [0, 'a'],
    [500, 'b'],
    [999, 'c'],
    [1_000, 'd'],
    [1_500, 'e'],
    [5_000, 'f'],
  ] as const) {
    now = at;
    write(line);
  }
  expect(written).toEqual(['a', 'd', 'f']);
});
