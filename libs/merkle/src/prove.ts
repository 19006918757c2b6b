// SPDX-License-Identifier: Apache-2.0
//
// Makes proofs. Planning is separate from reading: `inclusionNodes` and `consistencyNodes` return the perfect subtrees
// of a proof, so that a caller can fetch all tiles at once and then prove from memory.
import { MerkleError } from './merkle-error.ts';
import { isTreeSize, nodesOf, rootOfRange, splitOf } from './shape.ts';
import type { HashAt, NodeId, Range } from './shape.ts';

/**
 * The audit path of a leaf (RFC 9162 §2.1.3.1), from the leaf's sibling to the root's child.
 *
 * @throws MerkleError `bad_size` or `bad_index` if the tree has no such leaf; the errors of `hashAt`.
 */
export function proveInclusion(leafIndex: number, treeSize: number, hashAt: HashAt): Uint8Array[] {
  return inclusionRanges(leafIndex, treeSize).map((range) => rootOfRange(range, hashAt));
}

/** The perfect subtrees that `proveInclusion` reads. */
export function inclusionNodes(leafIndex: number, treeSize: number): NodeId[] {
  return inclusionRanges(leafIndex, treeSize).flatMap(nodesOf);
}

/**
 * The proof that the tree of `newSize` leaves begins with the tree of `oldSize` leaves (RFC 9162 §2.1.4.1). Empty when
 * the sizes are equal or the old tree is empty, since nothing needs proof then.
 *
 * @throws MerkleError `bad_size` if the sizes aren't in order; the errors of `hashAt`.
 */
export function proveConsistency(oldSize: number, newSize: number, hashAt: HashAt): Uint8Array[] {
  return consistencyRanges(oldSize, newSize).map((range) => rootOfRange(range, hashAt));
}

/** The perfect subtrees that `proveConsistency` reads. */
export function consistencyNodes(oldSize: number, newSize: number): NodeId[] {
  return consistencyRanges(oldSize, newSize).flatMap(nodesOf);
}

function inclusionRanges(leafIndex: number, treeSize: number): Range[] {
  if (!isTreeSize(treeSize)) throw new MerkleError('bad_size');
  if (!isTreeSize(leafIndex) || leafIndex >= treeSize) throw new MerkleError('bad_index');
  const siblings: Range[] = [];
  for (let start = 0, end = treeSize; end - start > 1;) {
    const middle = start + splitOf(end - start);
    if (leafIndex < middle) {
      siblings.unshift({ start: middle, end });
      end = middle;
    } else {
      siblings.unshift({ start, end: middle });
      start = middle;
    }
  }
  return siblings;
}

function consistencyRanges(oldSize: number, newSize: number): Range[] {
  if (!isTreeSize(oldSize) || !isTreeSize(newSize) || oldSize > newSize) throw new MerkleError('bad_size');
  if (oldSize === 0 || oldSize === newSize) return [];
  const ranges: Range[] = [];
  let start = 0;
  let end = newSize;
  // Down to the subtree that ends where the old tree ended: SUBPROOF of the RFC, as a loop.
  while (end !== oldSize) {
    const middle = start + splitOf(end - start);
    if (oldSize <= middle) {
      ranges.unshift({ start: middle, end });
      end = middle;
    } else {
      ranges.unshift({ start, end: middle });
      start = middle;
    }
  }
  // If a subtree is the whole old tree, the verifier has it as the old root.
  return start === 0 ? ranges : [{ start, end }, ...ranges];
}
