// SPDX-License-Identifier: Apache-2.0
//
// Verifies proofs by the algorithms of RFC 9162. Everything but the roots is attacker-controlled. The steps follow the
// RFC's text line by line, with its names `fn` and `sn`, so that the two can be compared.
import { HASH_BYTES, emptyRoot, isSameHash, nodeHash } from './hash.ts';
import { MerkleError } from './merkle-error.ts';
import { isTreeSize, splitOf } from './shape.ts';

export interface Inclusion {
  readonly leafHash: Uint8Array;
  readonly leafIndex: number;
  readonly treeSize: number;
  readonly hashes: readonly Uint8Array[];
}

/**
 * Verifies that the leaf is in the tree of that root (RFC 9162 §2.1.3.2).
 *
 * @throws MerkleError
 */
export function verifyInclusion(inclusion: Inclusion, root: Uint8Array): void {
  requireHashes([root]);
  if (!isSameHash(rootFromInclusion(inclusion), root)) throw new MerkleError('root_mismatch');
}

/**
 * The root that an inclusion proof leads to. It proves nothing until it is compared with a signed one.
 *
 * @throws MerkleError
 */
export function rootFromInclusion({ leafHash, leafIndex, treeSize, hashes }: Inclusion): Uint8Array {
  if (!isTreeSize(treeSize)) throw new MerkleError('bad_size');
  if (!isTreeSize(leafIndex) || leafIndex >= treeSize) throw new MerkleError('bad_index');
  requireHashes([leafHash, ...hashes]);
  let walk: Walk = { fn: leafIndex, sn: treeSize - 1 };
  let root = leafHash;
  for (const hash of hashes) {
    if (walk.sn === 0) throw new MerkleError('bad_proof_length');
    if (hasLeftSibling(walk)) {
      root = nodeHash(hash, root);
      walk = whileEven(walk);
    } else {
      root = nodeHash(root, hash);
    }
    walk = up(walk);
  }
  if (walk.sn !== 0) throw new MerkleError('bad_proof_length');
  return root;
}

export interface Consistency {
  readonly oldSize: number;
  readonly oldRoot: Uint8Array;
  readonly newSize: number;
  readonly newRoot: Uint8Array;
  readonly hashes: readonly Uint8Array[];
}

/**
 * Verifies that the new tree begins with the old one (RFC 9162 §2.1.4.2). For an old tree of no leaves its root must be
 * the empty root and the proof empty; for equal sizes the roots must be equal and the proof empty.
 *
 * @throws MerkleError
 */
export function verifyConsistency(consistency: Consistency): void {
  const { oldSize, oldRoot, newSize, newRoot, hashes } = consistency;
  if (!isTreeSize(oldSize) || !isTreeSize(newSize) || oldSize > newSize) throw new MerkleError('bad_size');
  requireHashes([oldRoot, newRoot, ...hashes]);
  if (oldSize === newSize) return requireTrivial(hashes, oldRoot, newRoot);
  if (oldSize === 0) return requireTrivial(hashes, oldRoot, emptyRoot());
  if (hashes.length === 0) throw new MerkleError('bad_proof_length');
  // The RFC's step 2: the root of a perfect old tree is the first hash of the proof, and isn't sent.
  const path = isPowerOfTwo(oldSize) ? [oldRoot, ...hashes] : hashes;
  const roots = rootsFromConsistency(oldSize, newSize, path);
  if (!isSameHash(roots.old, oldRoot) || !isSameHash(roots.new, newRoot)) throw new MerkleError('root_mismatch');
}

function rootsFromConsistency(
  oldSize: number,
  newSize: number,
  path: readonly Uint8Array[],
): { old: Uint8Array; new: Uint8Array } {
  let walk: Walk = { fn: oldSize - 1, sn: newSize - 1 };
  while (isOdd(walk.fn)) walk = up(walk);
  const [first, ...rest] = path as [Uint8Array, ...Uint8Array[]];
  let fr = first;
  let sr = first;
  for (const hash of rest) {
    if (walk.sn === 0) throw new MerkleError('bad_proof_length');
    if (hasLeftSibling(walk)) {
      fr = nodeHash(hash, fr);
      sr = nodeHash(hash, sr);
      walk = whileEven(walk);
    } else {
      sr = nodeHash(sr, hash);
    }
    walk = up(walk);
  }
  if (walk.sn !== 0) throw new MerkleError('bad_proof_length');
  return { old: fr, new: sr };
}

function requireTrivial(hashes: readonly Uint8Array[], actual: Uint8Array, expected: Uint8Array): void {
  if (hashes.length !== 0) throw new MerkleError('bad_proof_length');
  if (!isSameHash(actual, expected)) throw new MerkleError('root_mismatch');
}

/** Positions of the current node and of the last node, on the current level. */
interface Walk {
  readonly fn: number;
  readonly sn: number;
}

function up({ fn, sn }: Walk): Walk {
  return { fn: Math.floor(fn / 2), sn: Math.floor(sn / 2) };
}

function hasLeftSibling({ fn, sn }: Walk): boolean {
  return isOdd(fn) || fn === sn;
}

/** Skips the levels on which the last node has no sibling. */
function whileEven(walk: Walk): Walk {
  let at = walk;
  while (!isOdd(at.fn) && at.fn !== 0) at = up(at);
  return at;
}

function isOdd(n: number): boolean {
  return n % 2 === 1;
}

function isPowerOfTwo(n: number): boolean {
  return splitOf(n + 1) === n;
}

function requireHashes(hashes: readonly Uint8Array[]): void {
  if (hashes.some((hash) => hash.length !== HASH_BYTES)) throw new MerkleError('bad_hash');
}
