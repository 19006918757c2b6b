// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { LineSplitter } from './line-splitter.ts';

test('lines are the same, however their bytes are divided', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 12 }).map((line) => line.replaceAll('\n', ' '))),
      fc.array(fc.nat(20)),
      (lines, cuts) => {
        const bytes = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''));
        const splitter = new LineSplitter();
        const found: string[] = [];
        let at = 0;
        for (const cut of [...cuts, bytes.length]) {
          found.push(...splitter.push(bytes.subarray(at, at + cut))!);
          at = Math.min(bytes.length, at + cut);
        }
        found.push(...splitter.push(bytes.subarray(at))!);
        expect(found).toEqual(lines);
      },
    ),
  );
});

test('a line without end is one that is too long', () => {
  const splitter = new LineSplitter();
  let lines: readonly string[] | null = [];
  for (let mib = 0; mib < 13 && lines !== null; mib += 1) lines = splitter.push(new Uint8Array(1_048_576));
  expect(lines).toBeNull();
});
