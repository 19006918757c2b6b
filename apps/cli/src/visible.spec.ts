// SPDX-License-Identifier: Apache-2.0
import { visible, visibleLine } from './visible.ts';

test.each([
  ['\u001b[2Jrm', '\\u{1b}[2Jrm'],
  ['a\rb', 'a\\u{d}b'],
  ['a\r\nb', 'a\nb'],
  ['\u202egpj.exe', '\\u{202e}gpj.exe'],
  ['a\u200bb', 'a\\u{200b}b'],
  ['\u{e0041}', '\\u{e0041}'],
  ['\u009b1m', '\\u{9b}1m'],
  ['naïve 日本 🙂\ttab\n', 'naïve 日本 🙂\ttab\n'],
])('%j is shown as %j', (text, shown) => {
  expect(visible(text)).toBe(shown);
});

test('`visibleLine` keeps text on one line', () => {
  expect(visibleLine('a\nb\tc')).toBe('a\\nb\\tc');
});
