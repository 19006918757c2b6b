// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { piecesOf, visibleText } from './visible-text.ts';

const HIDDEN = ['\u202E', '\u2066', '\u200B', '\u0000', '\u001B', '\uFEFF', '\u{E0041}', '\u3164', '\uD800', '\u2028'];
const texts = fc
  .array(fc.oneof(fc.string(), fc.constantFrom(...HIDDEN, '\n', '\t', 'a')), { maxLength: 20 })
  .map((parts) => parts.join(''));

describe('a text of an agent', () => {
  it('shows no character that is hidden or turns others around', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const plain = piecesOf(text).flatMap((piece) => ('text' in piece ? [piece.text] : []));
        expect(plain.join('').match(/[\p{Cf}\p{Cs}\p{Co}]|(?![\t\n])\p{Cc}/u)).toBeNull();
      }),
    );
  });

  it('loses nothing: its characters stand there, or their codes', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const back = piecesOf(text)
          .map((piece) => ('text' in piece ? piece.text : String.fromCodePoint(parseInt(piece.code.slice(2), 16))))
          .join('');
        expect(back).toBe(text);
      }),
    );
  });

  it('of ordinary letters of any language stays as it is', () => {
    for (const text of ['naïve', '日本語', 'עברית', 'العربية', '👩‍💻'.replaceAll('\u200D', ''), 'a\tb\nc'])
      expect(piecesOf(text)).toEqual([{ text }]);
  });

  it('as a title has the codes in it', () => {
    expect(visibleText('a\u202Egnp.exe')).toBe('a[U+202E]gnp.exe');
  });
});
