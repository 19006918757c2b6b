// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (linear whatever the bytes are): each token, run and line is hashed once and looked up within a bounded
// number of steps. Colliding hashes count as equal: content made to collide counts as kept, and never takes longer.

/** The common parts of two texts, with regard to order. */
export interface CommonRuns {
  /** the share of the former order that still exists: 0 to 1 */
  readonly ordered: number;
  /** the same for the longer of both: 1 for equal texts, low where one is a small part of the other */
  readonly alike: number;
}

/**
 * Longer texts are sampled: only runs whose hashes end in zeros are compared, about as many as in a text of this size.
 */
const SAMPLED_BYTES = 1024 * 1024;
/** Runs, pairs or lines that are stored for a text: a text with more repeats the same ones. */
const HELD_MAX = 1024 * 1024;
/** Fewer runs prove nothing. */
const RUNS_MIN = 8;

/**
 * The order that two texts share. Tokens are words without case and underscores, and punctuation marks; all quotes are
 * equal. So formatting, other quotes, wrapped lines and another case of names change next to nothing. It compares:
 *
 * - runs of three tokens, one of which is a word: few are left of code without its punctuation or its names
 * - pairs of tokens that a space separated, one of which is a word: few are left where words were sorted or shuffled
 * - whole lines: a sorted list keeps all of them
 *
 * The result is the lesser of the first two counts, or that of the lines where it is greater. Null where there is too
 * little to compare.
 */
export function commonRuns(before: Uint8Array, after: Uint8Array): CommonRuns | null {
  const mask = sampleMask(Math.max(before.byteLength, after.byteLength));
  const [was, is] = [readRuns(before, mask), readRuns(after, mask)];
  if (was.runs.length < RUNS_MIN) return null;
  const common = was.runs.common(is.runs);
  const runs = common / was.runs.length;
  const parted = was.parted.length < RUNS_MIN ? runs : was.parted.common(is.pairs) / was.parted.length;
  const lines = was.lines.length === 0 ? 0 : was.lines.common(is.lines) / was.lines.weight;
  return {
    ordered: Math.max(lines, Math.min(runs, parted)),
    alike: common / Math.max(was.runs.length, is.runs.length),
  };
}

function sampleMask(bytes: number): number {
  let mask = 0;
  while (bytes > SAMPLED_BYTES * (mask + 1)) mask = mask * 2 + 1;
  return mask;
}

interface Runs {
  readonly runs: HashList;
  readonly pairs: HashList;
  /** the pairs that a space separated */
  readonly parted: HashList;
  readonly lines: HashList;
}

/** The class of a byte: `BLANK`, `LINE_END`, `WORD` and above for words; a punctuation mark is itself. */
const [BLANK, LINE_END, WORD] = [0, 1, 2];
const [UNDERSCORE, QUOTE] = ['_', '"'].map((mark) => mark.charCodeAt(0)) as [number, number];
const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === 10 || byte === 13) return LINE_END;
  if (byte <= 32) return BLANK;
  const mark = String.fromCharCode(byte);
  if (byte >= 128 || /\w/.test(mark)) return WORD;
  return mark === "'" || mark === '`' ? QUOTE : byte;
});
const LOWER = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte));

function readRuns(bytes: Uint8Array, mask: number): Runs {
  const runs: Runs = {
    runs: new HashList(mask),
    pairs: new HashList(mask),
    parted: new HashList(mask),
    lines: new HashList(mask),
  };
  // The hashes of the last tokens; zero before the first. The lowest bits mark words.
  let [first, second, isParted, line, lineBytes, tokens] = [0, 0, false, 0, 0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const kind = KINDS[bytes[at] as number] as number;
    if (kind === LINE_END) {
      if (lineBytes > 0) runs.lines.add(mixed(line), lineBytes);
      [line, lineBytes, isParted] = [0, 0, false];
      continue;
    }
    if (kind === BLANK) {
      isParted = true;
      continue;
    }
    let token = kind;
    const start = at;
    if (kind === WORD) {
      for (; at < bytes.length && KINDS[bytes[at] as number] === WORD; at += 1) {
        if (bytes[at] !== UNDERSCORE) token = Math.imul(token ^ (LOWER[bytes[at] as number] as number), 0x01000193);
      }
      at -= 1;
    }
    token = kind === WORD ? mixed(token) | 1 : mixed(token) & ~1;
    [line, lineBytes] = [next(line, token), lineBytes + at - start + 1];
    const pair = next(second, token);
    if (tokens > 0 && ((second | token) & 1) === 1) {
      runs.pairs.add(mixed(pair), 1);
      if (isParted) runs.parted.add(mixed(pair), 1);
    }
    if (tokens > 1 && ((first | second | token) & 1) === 1) runs.runs.add(mixed(next(next(first, second), token)), 1);
    [first, second, isParted, tokens] = [second, token, false, tokens + 1];
  }
  if (lineBytes > 0) runs.lines.add(mixed(line), lineBytes);
  return runs;
}

const next = (hash: number, token: number): number => (Math.imul(hash, 0x5bd1e995) + token) | 0;

/** Mixes all bits with each other: the last step of MurmurHash3. */
function mixed(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** Hashes with their weights, filtered by a mask. */
class HashList {
  readonly #mask: number;
  #hashes = new Int32Array(1_024);
  #weights = new Int32Array(1_024);
  length = 0;
  weight = 0;

  constructor(mask: number) {
    this.#mask = mask;
  }

  add(hash: number, weight: number): void {
    if ((hash & this.#mask) !== 0 || this.length === HELD_MAX) return;
    if (this.length === this.#hashes.length)
      [this.#hashes, this.#weights] = [doubled(this.#hashes), doubled(this.#weights)];
    this.#hashes[this.length] = hash;
    this.#weights[this.length] = weight;
    this.length += 1;
    this.weight += weight;
  }

  /** The weight of this list's hashes that are in the other, each as often as it occurs there. */
  common(other: HashList): number {
    const table = new HashTable(other.length);
    for (let at = 0; at < other.length; at += 1) table.count(other.#hashes[at] as number, 1);
    let common = 0;
    for (let at = 0; at < this.length; at += 1)
      if (table.count(this.#hashes[at] as number, -1)) common += this.#weights[at] as number;
    return common;
  }
}

function doubled(list: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const longer = new Int32Array(list.length * 2);
  longer.set(list);
  return longer;
}

/** Slots that are probed for a hash: beyond them, it counts in the last slot. */
const PROBES_MAX = 32;

/** The number of occurrences of each hash, with open addressing. */
class HashTable {
  readonly #hashes: Int32Array;
  readonly #counts: Int32Array;
  readonly #isUsed: Uint8Array;

  constructor(entries: number) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(16, entries * 2)));
    [this.#hashes, this.#counts, this.#isUsed] = [new Int32Array(size), new Int32Array(size), new Uint8Array(size)];
  }

  /** Adds one occurrence of the hash, or removes one. False where there is none to remove. */
  count(hash: number, step: 1 | -1): boolean {
    const last = this.#hashes.length - 1;
    // The lowest bits are those of the sample.
    let at = (Math.imul(hash, 0x9e3779b1) >>> 7) & last;
    for (let probe = 0; probe < PROBES_MAX && this.#isUsed[at] === 1 && this.#hashes[at] !== hash; probe += 1)
      at = (at + 1) & last;
    if (this.#isUsed[at] === 0) {
      if (step < 0) return false;
      [this.#isUsed[at], this.#hashes[at]] = [1, hash];
    }
    const count = (this.#counts[at] as number) + step;
    if (count < 0) return false;
    this.#counts[at] = count;
    return true;
  }
}
