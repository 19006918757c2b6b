// SPDX-License-Identifier: Apache-2.0
import { didYouMean, nearestName } from './nearest.ts';

const TOOLS = ['fs.read', 'fs.write', 'fs.list', 'shell.run'];

test.each([
  ['fs.reed', 'fs.read'],
  ['fs.raed', 'fs.read'],
  ['FS.READ', 'fs.read'],
  ['fs.lst', 'fs.list'],
  ['shellrun', 'shell.run'],
  ['sehll.rnu', 'shell.run'],
])('`%s` is a misspelt `%s`', (word, name) => {
  expect(nearestName(word, TOOLS)).toBe(name);
});

test.each(['', 'network', 'x', 'fs', 'x'.repeat(65)])('`%s` is no misspelt name', (word) => {
  expect(nearestName(word, TOOLS)).toBeNull();
});

test('a short word is not every other short word', () => {
  expect(nearestName('ab', ['xy'])).toBeNull();
  expect(nearestName('a', ['b'])).toBeNull();
  expect(nearestName('team', ['other', 'teem'])).toBe('teem');
});

test('the work is bounded: of a million long names, a thousand are compared', () => {
  let read = 0;
  function* names(): Generator<string> {
    for (;;) {
      read += 1;
      yield 'a'.repeat(64);
    }
  }
  expect(nearestName('b'.repeat(64), names())).toBeNull();
  expect(read).toBe(1_001);
});

test('a message names the name that was meant, else the known ones while they are few', () => {
  expect(didYouMean('pth', ['path', 'content'])).toBe('; did you mean `path`?');
  expect(didYouMean('zzz', ['path', 'content'])).toBe('; known here: `path`, `content`');
  expect(didYouMean('zzz', [])).toBe('');
  expect(
    didYouMean(
      'zzz',
      Array.from({ length: 17 }, (_name, at) => `name${at}`),
    ),
  ).toBe('');
});
