// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { CliError } from './cli-error.ts';
import { textOf, verifyArguments } from './utf8.ts';

const refusal = (bytes: Uint8Array): string => {
  try {
    return `taken: ${textOf(bytes, 'it')}`;
  } catch (error) {
    expect(error).toBeInstanceOf(CliError);
    return (error as CliError).message;
  }
};

it.each([
  ['a Latin-1 letter', [0x61, 0xe9, 0x62], 1, 'e9'],
  ['the first byte', [0xff], 0, 'ff'],
  ['a character without its end', [0xc3, 0xa9, 0xe2, 0x82], 2, 'e2'],
  ['a continuation alone', [0x61, 0x80], 1, '80'],
  ['an encoding that is longer than needed', [0xc0, 0xaf], 0, 'c0'],
  ['half of a surrogate pair', [0x61, 0xed, 0xa0, 0x80], 1, 'ed'],
  ['what stands behind a U+FFFD that was written', [0xef, 0xbf, 0xbd, 0xef, 0xbf, 0x20], 3, 'ef'],
])('%s is refused, with the offset of its byte', (_what, bytes, offset, hex) => {
  expect(refusal(Uint8Array.from(bytes))).toContain(`it is not UTF-8: byte ${offset} (0x${hex})`);
});

it('UTF-8 is decoded unchanged, U+FFFD and a byte order mark included', () => {
  for (const text of ['', '\ufffd', '\ufeff{}', 'é💡', 'a\ufffd\ufffdb'])
    expect(textOf(Buffer.from(text), 'it')).toBe(text);
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
      (text) => {
        expect(textOf(Buffer.from(text), 'it')).toBe(text);
      },
    ),
  );
});

it('any bytes are decoded exactly, or the reported offset is where a strict decoder stops', () => {
  const strict = (bytes: Uint8Array): string | null => {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      return null;
    }
  };
  const byte = fc.oneof(
    fc.integer({ min: 0, max: 255 }),
    fc.constantFrom(0x61, 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xef, 0xbf, 0xbd, 0xf0, 0x9f),
  );
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 12 }), (bytes) => {
      const input = Uint8Array.from(bytes);
      const expected = strict(input);
      if (expected !== null) {
        expect(textOf(input, 'it')).toBe(expected);
        return;
      }
      const offset = Number(/byte (\d+)/.exec(refusal(input))?.[1]);
      expect(strict(input.subarray(0, offset))).not.toBeNull();
      // No character begins at that offset, however many of the following bytes are included.
      for (let end = offset + 1; end <= Math.min(offset + 4, input.length); end += 1)
        expect(strict(input.subarray(offset, end))).toBeNull();
    }),
    { numRuns: 2_000 },
  );
});

it('an argument that was not UTF-8 is refused, with its number and the offset', () => {
  expect(() => verifyArguments(['call', 'fs.write', 'é\ufffd'])).toThrow('argument 3 is not UTF-8: its byte 2');
  expect(() => verifyArguments(['call', 'é💡'])).not.toThrow();
});
