// SPDX-License-Identifier: Apache-2.0
//
// The witness's decision about a checkpoint, without clock, disk or network (https://c2sp.org/tlog-witness). INVARIANT
// (one history): of each log it cosigns only checkpoints that extend the previous one. A contradicting checkpoint is
// kept as evidence, with both signatures of the log.
import { isSameHash, MerkleError, verifyConsistency } from '@writ/merkle';
import {
  parseCheckpoint,
  parseNote,
  SignatureError,
  verifyNote,
  type AddCheckpoint,
  type Checkpoint,
  type NoteKey,
} from '@writ/signing';

/** The checkpoint of a log that the witness cosigned last. */
export interface CosignedCheckpoint {
  readonly treeSize: number;
  readonly root: Uint8Array;
  readonly note: string;
}

/**
 * Two notes that a log signed. `fork`: two roots of one size, which proves two histories. `unproven`: growth for which
 * the log's proof failed.
 */
export interface Evidence {
  readonly kind: 'fork' | 'unproven';
  readonly origin: string;
  readonly kept: string;
  readonly shown: string;
}

export type Judgement =
  /** `text` is what to cosign, once `seen` is durable */
  | {
      readonly verdict: 'cosign';
      readonly origin: string;
      readonly text: string;
      readonly cosigned: CosignedCheckpoint;
    }
  | { readonly verdict: 'malformed' | 'unknown_log' | 'bad_signature' }
  | { readonly verdict: 'conflict'; readonly treeSize: number; readonly evidence: Evidence | null }
  | { readonly verdict: 'bad_proof'; readonly evidence: Evidence };

/** The origin that an unverified note names; null for a note that is no checkpoint. */
export function originOf(note: string): string | null {
  try {
    return parseCheckpoint(parseNote(note).text).origin;
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    return null;
  }
}

/**
 * Judges an attacker-controlled request. `lastCosignedOf` returns the durable checkpoint that was cosigned last for a
 * log. A key is trusted for the logs of its own name: `<name>/…`.
 */
export function judgeCheckpoint(
  request: AddCheckpoint,
  keys: readonly NoteKey[],
  lastCosignedOf: (origin: string) => CosignedCheckpoint | null,
): Judgement {
  const origin = originOf(request.note);
  if (origin === null) return { verdict: 'malformed' };
  const ownKeys = keys.filter(({ name }) => origin.startsWith(`${name}/`));
  if (ownKeys.length === 0) return { verdict: 'unknown_log' };
  const text = verifiedText(request.note, ownKeys);
  if (text === null) return { verdict: 'bad_signature' };
  const checkpoint = parseCheckpoint(text);
  if (request.oldSize > checkpoint.treeSize) return { verdict: 'malformed' };
  return judgeGrowth(request, { ...checkpoint, text }, lastCosignedOf(origin));
}

function judgeGrowth(
  { oldSize, hashes, note }: AddCheckpoint,
  { origin, treeSize, root, text }: Checkpoint & { text: string },
  seen: CosignedCheckpoint | null,
): Judgement {
  const evidence = (kind: Evidence['kind'], kept: CosignedCheckpoint): Evidence => ({
    kind,
    origin,
    kept: kept.note,
    shown: note,
  });
  // Two roots of one size are a fork, whatever old size the request states.
  if (seen !== null && treeSize === seen.treeSize && !isSameHash(root, seen.root))
    return { verdict: 'conflict', treeSize: seen.treeSize, evidence: evidence('fork', seen) };
  if (oldSize !== (seen?.treeSize ?? 0)) return { verdict: 'conflict', treeSize: seen?.treeSize ?? 0, evidence: null };
  if (seen === null)
    return hashes.length === 0
      ? { verdict: 'cosign', origin, text, cosigned: { treeSize, root, note } }
      : { verdict: 'malformed' };
  try {
    verifyConsistency({ oldSize, oldRoot: seen.root, newSize: treeSize, newRoot: root, hashes });
  } catch (error) {
    if (!(error instanceof MerkleError)) throw error;
    return { verdict: 'bad_proof', evidence: evidence('unproven', seen) };
  }
  return { verdict: 'cosign', origin, text, cosigned: { treeSize, root, note } };
}

function verifiedText(note: string, keys: readonly NoteKey[]): string | null {
  try {
    return verifyNote(note, keys).text;
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    return null;
  }
}
