// SPDX-License-Identifier: Apache-2.0
//
// The definitions of RFC 6962 §2.1 as written there, recursive and slow: the oracle for the library. Not part of the
// package (the build leaves out `*.contract.ts`).
import { createHash } from 'node:crypto';

type Hash = Uint8Array;

function sha256(...parts: Uint8Array[]): Hash {
  return new Uint8Array(createHash('sha256').update(Buffer.concat(parts)).digest());
}

function split(n: number): number {
  return 2 ** Math.floor(Math.log2(n - 1));
}

/** MTH(D[n]), over entries. */
export function modelRoot(entries: readonly Uint8Array[]): Hash {
  if (entries.length === 0) return sha256();
  if (entries.length === 1) return sha256(Uint8Array.of(0), entries[0] as Uint8Array);
  const k = split(entries.length);
  return sha256(Uint8Array.of(1), modelRoot(entries.slice(0, k)), modelRoot(entries.slice(k)));
}

/** PATH(m, D[n]). */
export function modelPath(m: number, entries: readonly Uint8Array[]): Hash[] {
  if (entries.length === 1) return [];
  const k = split(entries.length);
  return m < k
    ? [...modelPath(m, entries.slice(0, k)), modelRoot(entries.slice(k))]
    : [...modelPath(m - k, entries.slice(k)), modelRoot(entries.slice(0, k))];
}

/** PROOF(m, D[n]). */
export function modelProof(m: number, entries: readonly Uint8Array[]): Hash[] {
  return subproof(m, entries, true);
}

function subproof(m: number, entries: readonly Uint8Array[], isWhole: boolean): Hash[] {
  if (m === entries.length) return isWhole ? [] : [modelRoot(entries)];
  const k = split(entries.length);
  return m <= k
    ? [...subproof(m, entries.slice(0, k), isWhole), modelRoot(entries.slice(k))]
    : [...subproof(m - k, entries.slice(k), false), modelRoot(entries.slice(0, k))];
}

/** Entries that differ from one another and in length. */
export function entriesOf(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, i) => Buffer.from(`entry ${String(i)}`.repeat(1 + (i % 3))));
}
