// SPDX-License-Identifier: Apache-2.0
import { boundariesOf, CODE_POINT, FORBIDDEN, HEADING, WORD } from './boundaries.ts';

/** A part of a text: `text` is `whole.slice(start, end)`. */
export interface Chunk {
  readonly index: number;
  readonly text: string;
  /** in UTF-16 code units */
  readonly start: number;
  readonly end: number;
}

export interface ChunkOptions {
  /** limit on a chunk, in estimated tokens: see `CHARACTERS_PER_TOKEN`; at least 16 */
  readonly tokensMax: number;
  /** how much of a chunk's end the next one repeats, in estimated tokens; at most half of `tokensMax` */
  readonly tokensOverlap: number;
}

/**
 * Below the 256 tokens that small embedding models read, since an estimate may be too low. A tenth is repeated, so that
 * a sentence at a cut stands whole in one of both.
 */
export const CHUNK_OPTIONS: ChunkOptions = { tokensMax: 200, tokensOverlap: 20 };

/** Latin letters per token, as tokenizers of English split texts on average. Other scripts need a token for each. */
const CHARACTERS_PER_TOKEN = 4;
/** The first code unit that counts as a whole token: behind Latin with its extensions. */
const OTHER_SCRIPTS = 0x250;
/** The smallest chunk, in tokens: it has room for any code point, and the work stays linear. */
const TOKENS_MIN = 16;

/**
 * Splits a text into chunks that cover it: each begins at or before the end of the one before, the first at 0, and the
 * last ends with the text. It cuts at the best boundary in the second half of a chunk: heading, paragraph, line,
 * sentence, word, and else between two code points. A chunk that begins with a heading repeats nothing.
 *
 * Total, and linear in the length of the text. An empty text has no chunks.
 * @throws RangeError for options outside of their limits
 */
export function chunksOf(text: string, options: ChunkOptions = CHUNK_OPTIONS): Chunk[] {
  const { tokensMax, tokensOverlap } = options;
  if (!(tokensMax >= TOKENS_MIN)) throw new RangeError(`a chunk has at least ${TOKENS_MIN} tokens, not ${tokensMax}`);
  if (!(tokensOverlap >= 0 && tokensOverlap <= tokensMax / 2))
    throw new RangeError(`chunks overlap by at most half of their ${tokensMax} tokens, not ${tokensOverlap}`);
  const boundaries = boundariesOf(text);
  const chunks: Chunk[] = [];
  for (let start = 0; start < text.length;) {
    const end = cutOf(text, boundaries, start, tokensMax * CHARACTERS_PER_TOKEN);
    chunks.push({ index: chunks.length, text: text.slice(start, end), start, end });
    start =
      end === text.length || boundaries[end] === HEADING
        ? end
        : repeatFrom(text, boundaries, start, end, tokensOverlap * CHARACTERS_PER_TOKEN);
  }
  return chunks;
}

const costAt = (text: string, at: number): number => (text.charCodeAt(at) < OTHER_SCRIPTS ? 1 : CHARACTERS_PER_TOKEN);

/** The end of the chunk that begins at `start`. */
function cutOf(text: string, boundaries: Uint8Array, start: number, costMax: number): number {
  let [cost, best, rank] = [0, start, FORBIDDEN];
  for (let at = start; at < text.length; at += 1) {
    cost += costAt(text, at);
    if (cost > costMax) return best;
    const kind = boundaries[at + 1] ?? FORBIDDEN;
    // A heading may end a chunk early. In its first half, other boundaries only count if nothing better follows.
    const isEarly = kind === HEADING ? cost * 4 < costMax : cost * 2 < costMax;
    const here = isEarly ? Math.min(kind, CODE_POINT) : kind;
    if (here !== FORBIDDEN && here >= rank) [best, rank] = [at + 1, here];
  }
  return text.length;
}

/** Where the next chunk begins: at the first word of the end that is repeated. */
function repeatFrom(text: string, boundaries: Uint8Array, start: number, end: number, costMax: number): number {
  let [cost, from] = [0, end];
  // Half of the chunk at most, so that each step of the loop above gets on.
  for (let at = end - 1; at > start + (end - start) / 2; at -= 1) {
    cost += costAt(text, at);
    if (cost > costMax) return from;
    if ((boundaries[at] ?? FORBIDDEN) >= WORD) from = at;
  }
  return from;
}
