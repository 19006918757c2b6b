// SPDX-License-Identifier: Apache-2.0
import { concatBytes } from '@writ/digest';
import { HASH_BYTES, nodeHash } from './hash.ts';
import { MerkleError } from './merkle-error.ts';
import { foldRoots, isTreeSize, nodesOf } from './shape.ts';

/**
 * The part of a tree that appending needs: the roots of its perfect subtrees from left to right, at most 53. A value
 * that never changes, so an append that isn't committed needs no undo.
 */
export interface Frontier {
  readonly size: number;
  readonly roots: readonly Uint8Array[];
}

export const EMPTY_FRONTIER: Frontier = { size: 0, roots: [] };

/**
 * The frontier after these leaf hashes were appended in order. Costs at most two hashes per leaf, however long the log.
 */
export function appendLeaves(frontier: Frontier, leafHashes: Iterable<Uint8Array>): Frontier {
  const roots = [...frontier.roots];
  let { size } = frontier;
  for (const leaf of leafHashes) {
    let root = leaf;
    // Each trailing 1 bit of the size is a perfect subtree on the right that forms a pair with the new one.
    for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2) root = nodeHash(roots.pop() as Uint8Array, root);
    roots.push(root);
    size += 1;
  }
  return { size, roots };
}

/** The root of the tree (RFC 9162 §2.1.1). */
export function rootOfFrontier(frontier: Frontier): Uint8Array {
  return foldRoots(frontier.roots);
}

/** The root of the tree over these leaf hashes. */
export function rootOf(leafHashes: Iterable<Uint8Array>): Uint8Array {
  return rootOfFrontier(appendLeaves(EMPTY_FRONTIER, leafHashes));
}

/** Bytes of the size in front of an encoded frontier. */
const SIZE_BYTES = 8;

/** The size as a big-endian uint64, then the roots. */
export function encodeFrontier(frontier: Frontier): Uint8Array {
  const size = new Uint8Array(SIZE_BYTES);
  new DataView(size.buffer).setBigUint64(0, BigInt(frontier.size));
  return concatBytes([size, ...frontier.roots]);
}

/**
 * Parses an encoded frontier. The caller must check that the roots are those of the log: compare `rootOfFrontier` with
 * a signed root.
 *
 * @throws MerkleError `bad_frontier`
 */
export function parseFrontier(bytes: Uint8Array): Frontier {
  if (bytes.length < SIZE_BYTES) throw new MerkleError('bad_frontier');
  const size = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0));
  if (!isTreeSize(size)) throw new MerkleError('bad_frontier');
  const count = nodesOf({ start: 0, end: size }).length;
  if (bytes.length !== SIZE_BYTES + count * HASH_BYTES) throw new MerkleError('bad_frontier');
  const hashes = bytes.subarray(SIZE_BYTES);
  // Copies, since the bytes may belong to a reused pool.
  const roots = Array.from(
    { length: count },
    (_, i) => new Uint8Array(hashes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES)),
  );
  return { size, roots };
}
