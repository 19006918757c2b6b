// SPDX-License-Identifier: Apache-2.0

/** The part of a file that shows whether it is text: git reads as much. */
const HEAD_BYTES = 8_000;
/** The part of a file that may contain the mark of a generator. */
const MARK_BYTES = 2_048;
/** A file with fewer words is compared by its bytes: one word of a version or a date would be half of it. */
const WORDS_MIN = 8;
/** Bytes that are compared as one unit where there are too few words: few texts share so many by chance. */
const SHORT_RUN = 3;
const GENERATED = /@generated\b|\bDO NOT EDIT\b/;

/** Answers whether bytes are binary, as git does: by a NUL near their beginning. */
export const isBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, HEAD_BYTES).includes(0);

/** Answers whether a file's head contains the mark of a generator. */
export const isGenerated = (bytes: Uint8Array): boolean =>
  GENERATED.test(Buffer.from(bytes.subarray(0, MARK_BYTES)).toString('latin1'));

/**
 * The share of the former words that still exist, each as often as before: 0 to 1. With fewer than eight words, it is
 * the share of the runs of three bytes. Words are runs of letters, digits and underscores, or of bytes beyond ASCII.
 * Takes time in proportion to both lengths.
 */
export function keptWords(before: Uint8Array, after: Uint8Array): number {
  const had = countWords(before);
  let total = 0;
  for (const count of had.values()) total += count;
  if (total < WORDS_MIN) return keptRuns(before, after, SHORT_RUN);
  let kept = 0;
  for (const [word, count] of countWords(after)) kept += Math.min(count, had.get(word) ?? 0);
  return kept / total;
}

function countWords(bytes: Uint8Array): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of Buffer.from(bytes)
    .toString('latin1')
    .matchAll(/[\w\x80-\xff]+/g))
    counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/**
 * The share of the former runs of `length` bytes that still exist, each as often as before: 0 to 1. Takes time in
 * proportion to both lengths. Bytes that are too few for one run count as kept where the new content begins with them.
 */
function keptRuns(before: Uint8Array, after: Uint8Array, length: number): number {
  if (before.byteLength < length) return Number(Buffer.compare(before, after.subarray(0, before.byteLength)) === 0);
  const had = new Map<string, number>();
  const text = Buffer.from(before).toString('latin1');
  for (let at = 0; at + length <= text.length; at += 1) {
    const run = text.slice(at, at + length);
    had.set(run, (had.get(run) ?? 0) + 1);
  }
  const now = Buffer.from(after).toString('latin1');
  let kept = 0;
  for (let at = 0; at + length <= now.length; at += 1) {
    const left = had.get(now.slice(at, at + length)) ?? 0;
    if (left > 0) {
      had.set(now.slice(at, at + length), left - 1);
      kept += 1;
    }
  }
  return kept / (text.length - length + 1);
}

/**
 * Where a block of a binary file ends: after bytes whose sum over a window has these low bits, on average every 64
 * bytes. So an insertion moves no other block.
 */
const BLOCK_MASK = 63;
const BLOCK_WINDOW = 16;
/** A longer block is cut: a run of equal bytes becomes many equal blocks. */
const BLOCK_BYTES_MAX = 512;

/**
 * The share of the former bytes in blocks that still exist, each as often as before: 0 to 1. Takes time in proportion
 * to both lengths.
 */
export function keptBlocks(before: Uint8Array, after: Uint8Array): number {
  if (before.byteLength === 0) return 1;
  const had = new Map<string, number>();
  for (const block of blocksOf(before)) had.set(block, (had.get(block) ?? 0) + 1);
  let kept = 0;
  for (const block of blocksOf(after)) {
    const left = had.get(block) ?? 0;
    if (left === 0) continue;
    had.set(block, left - 1);
    kept += block.length;
  }
  return kept / before.byteLength;
}

function* blocksOf(bytes: Uint8Array): Generator<string> {
  const text = Buffer.from(bytes).toString('latin1');
  let [sum, start] = [0, 0];
  for (let at = 0; at < bytes.byteLength; at += 1) {
    sum += bytes[at] ?? 0;
    if (at >= BLOCK_WINDOW) sum -= bytes[at - BLOCK_WINDOW] ?? 0;
    if ((sum & BLOCK_MASK) !== BLOCK_MASK && at - start + 1 < BLOCK_BYTES_MAX) continue;
    yield text.slice(start, at + 1);
    start = at + 1;
  }
  if (start < text.length) yield text.slice(start);
}
