// SPDX-License-Identifier: Apache-2.0

/** U+2581, which marks the beginning of a word. */
const WORD_MARK = Buffer.from('▁');

/** A token that the model chose. */
export interface HeardToken {
  readonly id: number;
  /** natural logarithm of its probability */
  readonly logProbability: number;
}

/** A word: its text, and the places of its tokens in the sequence. */
export interface TokenWord {
  readonly text: string;
  readonly first: number;
  readonly last: number;
}

/** The texts of tokens, of which a token may have a part of a character. */
export class Vocabulary {
  readonly #texts: readonly Uint8Array[];

  /** @param bytes each token as its length (one byte, or two from 128: low seven bits first) and its UTF-8 */
  constructor(bytes: Uint8Array) {
    const texts: Uint8Array[] = [];
    for (let at = 0; at < bytes.length;) {
      let length = bytes[at++] ?? 0;
      if (length >= 128) length = (bytes[at++] ?? 0) * 128 + length - 128;
      texts.push(bytes.subarray(at, at + length));
      at += length;
    }
    this.#texts = texts;
  }

  /** The words of a sequence. Tokens without a text, and with signs of control, are left out. */
  wordsOf(tokens: readonly HeardToken[]): TokenWord[] {
    const words: { parts: Uint8Array[]; first: number; last: number }[] = [];
    for (const [place, { id }] of tokens.entries()) {
      const text = id > 2 ? (this.#texts[id] ?? new Uint8Array()) : new Uint8Array();
      if (text.length === 0) continue;
      const begins = WORD_MARK.every((byte, i) => text[i] === byte);
      const part = begins ? text.subarray(WORD_MARK.length) : text;
      const word = words.at(-1);
      if (begins || word === undefined) words.push({ parts: [part], first: place, last: place });
      else {
        word.parts.push(part);
        word.last = place;
      }
    }
    return words
      .map(({ parts, first, last }) => ({ text: printable(Buffer.concat(parts).toString('utf8')), first, last }))
      .filter(({ text }) => text !== '');
  }
}

/** Words of a transcript go to people and models: no signs of control, no white space. */
const printable = (text: string): string => text.replace(/[\p{C}\p{Z}\ufffd]/gu, '').slice(0, 200);
