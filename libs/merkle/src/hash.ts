// SPDX-License-Identifier: Apache-2.0
//
// The hashes of RFC 6962 §2.1 (the same in RFC 9162 §2.1.1) over SHA-256. INVARIANT (domain separation): a leaf is
// hashed with 0x00 in front and a node with 0x01, so that no leaf can be passed off as a node.
import { compareBytes, sha256 } from '@writ/digest';

/** Length of every hash of the tree, in bytes. */
export const HASH_BYTES = 32;

const LEAF_PREFIX = Uint8Array.of(0);
const NODE_PREFIX = Uint8Array.of(1);

/** The hash of a leaf: SHA-256(0x00 ‖ entry). */
export function leafHash(entry: Uint8Array): Uint8Array {
  return sha256(LEAF_PREFIX, entry);
}

/** The hash of a node: SHA-256(0x01 ‖ left ‖ right). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(NODE_PREFIX, left, right);
}

/** The root of a tree with no leaves: SHA-256 of nothing. */
export function emptyRoot(): Uint8Array {
  return sha256();
}

/** Answers whether two hashes are equal. Neither is secret, so the time need not be constant. */
export function isSameHash(a: Uint8Array, b: Uint8Array): boolean {
  return compareBytes(a, b) === 0;
}
