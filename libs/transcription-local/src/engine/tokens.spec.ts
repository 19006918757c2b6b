// SPDX-License-Identifier: Apache-2.0
import { Vocabulary } from './tokens.ts';

/** A vocabulary of these texts, as the file has it. */
const vocabulary = (...texts: readonly (string | Uint8Array)[]): Vocabulary =>
  new Vocabulary(
    Buffer.concat(
      texts.map((text) => {
        const bytes = Buffer.from(text);
        const { length } = bytes;
        return Buffer.concat([
          Buffer.from(length < 128 ? [length] : [128 + (length % 128), Math.floor(length / 128)]),
          bytes,
        ]);
      }),
    ),
  );
const heard = (...ids: readonly number[]) => ids.map((id) => ({ id, logProbability: -0.1 }));

describe('words of tokens', () => {
  it('begin at the mark of a word, and know their tokens', () => {
    const words = vocabulary('', '', '', '▁fo', 'x', '▁jumps', '.').wordsOf(heard(3, 4, 5, 6));
    expect(words).toEqual([
      { text: 'fox', first: 0, last: 1 },
      { text: 'jumps.', first: 2, last: 3 },
    ]);
  });

  it('are put together from tokens that have a part of a character', () => {
    const e = Buffer.from('é');
    const words = vocabulary('', '', '', '▁caf', e.subarray(0, 1), e.subarray(1)).wordsOf(heard(3, 4, 5));
    expect(words.map(({ text }) => text)).toEqual(['café']);
  });

  it('have no signs of control and no white space, and leave out tokens without a text', () => {
    const words = vocabulary('<unk>', '<s>', '</s>', '▁a\u0007\u200bb c', '▁\n').wordsOf(heard(0, 3, 99, 4));
    expect(words.map(({ text }) => text)).toEqual(['abc']);
  });

  it('are read from texts of more than 127 bytes', () => {
    const long = 'x'.repeat(150);
    expect(
      vocabulary('', '', '', long, '▁y')
        .wordsOf(heard(3, 4))
        .map(({ text }) => text),
    ).toEqual([long, 'y']);
  });
});
