// SPDX-License-Identifier: Apache-2.0
import { compareTexts, type TextPair } from './compare-texts.ts';

const BUDGET = { eachMs: 250, allMs: 1_000 };
const still = (): number => 0;
const pair = (old: string | null, now: string | null): TextPair => ({ path: 'a.txt', old, now });

it('two texts are compared as a unified diff, and its lines counted', () => {
  const [compared] = compareTexts([pair('one\ntwo\n', 'one\n2\nthree\n')], BUDGET, still);
  expect(compared).toMatchObject({ added_lines: 2, removed_lines: 1 });
  expect(compared?.text).toContain('--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,3 @@\n one\n-two\n+2\n+three\n');
});

it('a text with many lines is compared like a short one', () => {
  const lines = 'x\n'.repeat(130_000);
  expect(compareTexts([pair(null, lines), pair(lines, null)], BUDGET, still)).toMatchObject([
    { added_lines: 130_000, removed_lines: 0 },
    { added_lines: 0, removed_lines: 130_000 },
  ]);
});

it('texts with nothing in common time out, and the others are compared', () => {
  const lines = (salt: number): string => Array.from({ length: 20_000 }, (_, n) => `${salt} ${n}`).join('\n');
  expect(
    compareTexts([pair(lines(1), lines(2)), pair('a\n', 'b\n')], { eachMs: 20, allMs: 60_000 }, () =>
      performance.now(),
    ),
  ).toMatchObject([null, { added_lines: 1 }]);
});

it('no pair is begun after the total time is over', () => {
  let now = 0;
  const ticking = (): number => (now += 300);
  expect(
    compareTexts([pair('a\n', 'b\n'), pair('a\n', 'b\n'), pair('a\n', 'b\n'), pair('a\n', 'b\n')], BUDGET, ticking).map(
      (each) => each !== null,
    ),
  ).toEqual([true, true, true, false]);
});
