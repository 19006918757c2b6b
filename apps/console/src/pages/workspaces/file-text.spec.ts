// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { textOf } from './file-text.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const linesOf = (text: string) => textOf(bytes(text))?.chunks.flatMap(({ lines }) => lines);

it('a text has its lines, and no further one after its last line break', () => {
  expect(linesOf('a\n\nb\n')).toEqual(['a', '', 'b']);
  expect(linesOf('a')).toEqual(['a']);
  expect(textOf(bytes(''))).toMatchObject({ lines: 0, chunks: [] });
});

it('line ends of Windows are named, and others with carriage returns are shown as they are', () => {
  expect(textOf(bytes('a\r\nb\r\n'))).toMatchObject({ ends: 'crlf', chunks: [{ lines: ['a', 'b'] }] });
  expect(textOf(bytes('a\r\nb\n'))).toMatchObject({ ends: 'mixed', chunks: [{ lines: ['a\r', 'b'] }] });
  expect(textOf(bytes('a\rb\n'))).toMatchObject({ ends: 'mixed' });
});

it('what is no UTF-8, or has a zero byte, is no text', () => {
  expect(textOf(new Uint8Array([0x66, 0xff, 0xfe]))).toBeNull();
  expect(textOf(bytes('a\u0000b'))).toBeNull();
});

it('a mark of byte order stays in the text, where it is shown by its code', () => {
  expect(linesOf('\uFEFFa')).toEqual(['\uFEFFa']);
});

it('a long line is shown in part, and counted', () => {
  const text = textOf(bytes(`${'x'.repeat(5_000)}\ny`));
  expect([text?.cut, text?.chunks[0]?.lines[0]?.length]).toEqual([1, 4_001]);
});

it('chunks have all lines in order, each with its number', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z]{0,3}$/), { maxLength: 900 }), (lines) => {
      const text = textOf(bytes(lines.map((line) => `${line}\n`).join('')));
      expect(text?.chunks.flatMap((chunk) => chunk.lines)).toEqual(lines);
      for (const { first, lines: some } of text?.chunks ?? [])
        expect(some).toEqual(lines.slice(first - 1, first - 1 + some.length));
    }),
  );
});
