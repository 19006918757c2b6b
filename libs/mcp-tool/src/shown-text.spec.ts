// SPDX-License-Identifier: Apache-2.0
import { hiddenCharacter, textsIn } from './shown-text.ts';

it.each([
  ['\u0007', 'U+0007'],
  ['\u0085', 'U+0085'],
  ['\u2028', 'U+2028'],
  ['\u2029', 'U+2029'],
  ['\u200b', 'U+200B'],
  ['\u{e0041}', 'U+E0041'],
  ['\t\r\n', null],
  ['größe 漢 👩‍🚀', null],
])('the first character of %j that a reader does not see is %s', (text, name) => {
  expect(hiddenCharacter(`a${text}b`)).toBe(name);
});

it('the texts of a value are its strings and the names of its members, with their pointers', () => {
  expect([...textsIn({ 'a/b': ['c', { d: 7 }], e: null })].sort((a, b) => a.text.localeCompare(b.text))).toEqual([
    { pointer: '', text: 'a/b' },
    { pointer: '/a~1b/0', text: 'c' },
    { pointer: '/a~1b/1', text: 'd' },
    { pointer: '', text: 'e' },
  ]);
  expect([...textsIn('a')]).toEqual([{ pointer: '', text: 'a' }]);
});

it('the texts of a value of any width and depth are found', () => {
  const wide = Array.from({ length: 300_000 }, () => 'a');
  let deep: unknown = 'a';
  for (let level = 0; level < 20_000; level += 1) deep = [deep];
  expect([[...textsIn(wide)].length, [...textsIn(deep)].length]).toEqual([300_000, 1]);
});
