// SPDX-License-Identifier: Apache-2.0
import { hiddenInBody, hiddenInSubject } from './hidden-characters.ts';

describe('a character that is not shown', () => {
  it.each([
    ['pay \u202e00001 RUE', 'U+202E'],
    ['a\u2066b', 'U+2066'],
    ['a\u{e0041}', 'U+E0041'],
    ['a\ufe0f\u{e0101}', 'U+E0101'],
  ])('is found in the subject and in the body %j', (text, name) => {
    expect(hiddenInBody(text)).toBe(name);
    expect(hiddenInSubject(text.replace('\ufe0f', ''))).toBe(name);
  });

  it.each([
    ['zero\u200bwidth', 'U+200B'],
    ['soft\u00adhyphen', 'U+00AD'],
    ['a\u200db', 'U+200D'],
    ['\u200c\u0645', 'U+200C'],
    ['a\u3164', 'U+3164'],
    ['a\u200e', 'U+200E'],
    ['\ufeffa', 'U+FEFF'],
  ])('is found in the subject %j, and may be in a body', (text, name) => {
    expect(hiddenInSubject(text)).toBe(name);
    expect(hiddenInBody(text)).toBeNull();
  });

  it.each([
    'Grüße, 数学',
    '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
    '👨‍👩‍👧 ❤️ 👍🏽',
    '\u0915\u094d\u200d\u0937',
    '',
  ])('is not found where spelling or a picture needs it: %j', (text) => {
    expect([hiddenInSubject(text), hiddenInBody(text)]).toEqual([null, null]);
  });
});
