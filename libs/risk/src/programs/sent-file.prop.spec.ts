// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { sentFile } from './sent-file.ts';

/** The same as one pattern, which takes quadratic time for a value that doesn't match. */
const PATTERN = /^(?:[^=@<]*[=]?[@<])(.+?)(?:;\w+=.*)?$/s;

describe('the file in a value of curl', () => {
  it('is the same as by the pattern, for any value', () => {
    const value = fc.string({ unit: fc.constantFrom('@', '<', '=', ';', 'a', '_', '/', ' ', '\n'), maxLength: 12 });
    fc.assert(
      fc.property(value, (text) => {
        expect(sentFile(text)).toBe(PATTERN.exec(text)?.[1]);
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    ['@body.json', 'body.json'],
    ['part=@a.txt;type=text/plain', 'a.txt'],
    ['x@y', 'y'],
    ['=<a', 'a'],
    ['@a\nb', 'a\nb'],
    ['@', undefined],
    ['a=b', undefined],
    ['a=b@c', undefined],
  ])('%j is %j', (text, file) => {
    expect(sentFile(text)).toBe(file);
  });

  it.each([
    ['settings', (units: number) => `@${';a='.repeat(units)}\nx`],
    ['semicolons', (units: number) => `@${';'.repeat(units * 3)}\n`],
    ['words', (units: number) => `@;${'a'.repeat(units * 3)}\n`],
    ['names', (units: number) => 'a'.repeat(units * 3)],
    ['equal signs', (units: number) => `@a${';=a'.repeat(units)}`],
  ])('is found in linear time: %s', (_, make) => {
    const text = make(350_000);
    const before = process.cpuUsage();
    sentFile(text);
    const { user, system } = process.cpuUsage(before);
    // A megabyte takes 10 ms at most; quadratic work takes minutes.
    expect((user + system) / 1000).toBeLessThan(500);
  });
});
