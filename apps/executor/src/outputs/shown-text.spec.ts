// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { halfCharacter, shownText } from './shown-text.ts';

describe('the text of output', () => {
  it('is marked as lossy for NUL and bytes that are not UTF-8, but not for U+FFFD itself', () => {
    expect(shownText(Buffer.from('naïve \uFFFD\n'), false)).toEqual({ text: 'naïve \uFFFD\n', isLossy: false });
    expect(shownText(Buffer.from('na\xefve', 'latin1'), false)).toEqual({ text: 'na\uFFFDve', isLossy: true });
    expect(shownText(Buffer.from('a\0b'), false)).toEqual({ text: 'a\uFFFDb', isLossy: true });
    expect(shownText(new Uint8Array(), false)).toEqual({ text: '', isLossy: false });
  });

  it("ends with a whole character where it was cut, and is marked as lossy for a half one only where it wasn't", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }).filter((text) => text.isWellFormed() && !text.includes('\0')),
        fc.nat(),
        (text, at) => {
          const bytes = Buffer.from(text);
          const cut = bytes.subarray(0, at % (bytes.length + 1));
          const { text: shown, isLossy } = shownText(cut, true);
          expect([text.startsWith(shown), isLossy]).toEqual([true, false]);
          expect(cut.length - Buffer.byteLength(shown)).toBe(halfCharacter(cut));
          expect(shownText(cut, false).isLossy).toBe(halfCharacter(cut) > 0);
        },
      ),
    );
  });

  it('has no half character after a byte that begins no character', () => {
    expect(
      [[0x80], [0xff], [0xf5], [0xc0], [0xc1, 0x80]].map((bytes) => halfCharacter(Uint8Array.from(bytes))),
    ).toEqual([0, 0, 0, 0, 0]);
    expect([[0xc3], [0xe2, 0x82], [0xf0, 0x9f, 0x98]].map((bytes) => halfCharacter(Uint8Array.from(bytes)))).toEqual([
      1, 2, 3,
    ]);
  });
});
