// SPDX-License-Identifier: Apache-2.0
//
// The shape of the tree: the perfect subtrees of a range of leaves. Sizes go to 2^53 − 1, so halving is done by
// division; bit operators would truncate them to 32 bits.
import { emptyRoot, nodeHash } from './hash.ts';

/**
 * A perfect subtree: the one over leaves `index * 2^level` to `(index + 1) * 2^level`, the end not included. Level 0 is
 * a leaf.
 */
export interface NodeId {
  readonly level: number;
  readonly index: number;
}

/** Leaves from `start` to `end`, the end not included. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the hash of a perfect subtree of the tree, from memory or from tiles read before. MUST throw rather than
 * return another hash.
 */
export type HashAt = (level: number, index: number) => Uint8Array;

/** Answers whether the number can be a count of leaves. */
export function isTreeSize(size: number): boolean {
  return Number.isSafeInteger(size) && size >= 0;
}

/** RFC 9162 §2.1.1: the largest power of two smaller than `size`; for sizes from 2. */
export function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

/**
 * The perfect subtrees that make up a range, from left to right. Valid for the ranges in RFC 9162's recursions: they
 * start at a multiple of a power of two not smaller than their length.
 */
export function nodesOf(range: Range): NodeId[] {
  const nodes: NodeId[] = [];
  for (let start = range.start; start < range.end;) {
    const { level, width } = largestWithin(range.end - start);
    nodes.push({ level, index: start / width });
    start += width;
  }
  return nodes;
}

function largestWithin(length: number): { level: number; width: number } {
  let level = 0;
  let width = 1;
  for (; width * 2 <= length; width *= 2) level += 1;
  return { level, width };
}

/** The root over neighbouring perfect subtrees, largest first, as `nodesOf` lists them; the empty root for none. */
export function foldRoots(roots: readonly Uint8Array[]): Uint8Array {
  const last = roots.at(-1);
  if (last === undefined) return emptyRoot();
  return roots.slice(0, -1).reduceRight((right, left) => nodeHash(left, right), last);
}

/** The Merkle tree hash of a range (RFC 9162 §2.1.1), read from perfect subtrees. */
export function rootOfRange(range: Range, hashAt: HashAt): Uint8Array {
  return foldRoots(nodesOf(range).map(({ level, index }) => hashAt(level, index)));
}
