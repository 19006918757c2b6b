// SPDX-License-Identifier: Apache-2.0
import { PerMinute } from './per-minute.ts';

it('lets each name do so much within a minute, and says when it may go on', () => {
  let now = 5_000;
  const bound = new PerMinute(2, 'exchanges of one key', () => now);
  for (const name of ['a', 'a', 'b']) bound.consume(name);
  now += 20_000;
  expect(() => bound.consume('a')).toThrow(
    expect.objectContaining({
      code: 'rate.limited',
      detail: 'more than 2 exchanges of one key within a minute',
      afterS: 40,
    }),
  );
  bound.consume('b');
  now += 40_001;
  bound.consume('a');
});
