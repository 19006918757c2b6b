// SPDX-License-Identifier: Apache-2.0
//
// Verifies that a kernel signed a leaf of a log. INVARIANT (signed only): every returned value comes from
// bytes that a known record key signed, parsed after the signature was checked. The leaf's position, and that the log
// contains it, are not checked here: only the root over all leaves proves them.
import { RECORD_PAYLOAD_TYPE } from '@writ/contract';
import { decodeBase64, pae, SignatureError } from '@writ/signing';
import type { KeySet, RecordKey } from './key-set.ts';
import { ReceiptError } from './receipt-error.ts';
import { within } from './run-check.ts';
import { readRecord, requireSigningKey } from './signed-record.ts';
import type { SignedRecord } from './signed-record.ts';

/** A leaf's bytes, from a bundle of entries, and its signature. */
export interface SignedLeaf {
  readonly payload: Uint8Array;
  /** RFC 7638 thumbprint of the record key */
  readonly keyid: string;
  /** base64 */
  readonly sig: string;
}

export interface VerifiedLeaf extends SignedRecord {
  /**
   * When the key's revocation takes effect; null for a key that was not revoked. A record of a revoked key is valid if
   * its leaf precedes the revocation's: `judgeByLogPosition`.
   */
  readonly revokedAt: number | null;
}

/**
 * Verifies that a trusted record key signed a leaf, and was valid at the record's time. For a revoked key that is not
 * enough: callers MUST judge by `revokedAt`.
 *
 * @throws ReceiptError `signature`, `statement`, `record`, `predicate_type`, `subject`, `record_key` or `key_validity`,
 * and nothing else, for any leaf
 */
export function verifyLeaf(leaf: SignedLeaf, keys: KeySet): VerifiedLeaf {
  const { verifier } = signingKeyOf(leaf, keys);
  within('signature', () => {
    verifier.verify(pae(RECORD_PAYLOAD_TYPE, leaf.payload), decodeBase64(leaf.sig));
  });
  return readLeaf(leaf, keys);
}

/**
 * Like `verifyLeaf`, with the signature verified on another thread: for programs that verify many. Rejects as that
 * throws.
 */
export async function verifyLeafOnThread(leaf: SignedLeaf, keys: KeySet): Promise<VerifiedLeaf> {
  const { verifier } = signingKeyOf(leaf, keys);
  const signature = within('signature', () => decodeBase64(leaf.sig));
  await verifier.verifyOnThread(pae(RECORD_PAYLOAD_TYPE, leaf.payload), signature).catch((cause: unknown) => {
    if (cause instanceof SignatureError) throw new ReceiptError('signature', cause.message, { cause });
    throw cause;
  });
  return readLeaf(leaf, keys);
}

function signingKeyOf({ keyid }: SignedLeaf, { recordKeys }: KeySet): RecordKey {
  const key = recordKeys.get(keyid);
  if (key === undefined)
    throw new ReceiptError('signature', `it is signed by \`${keyid}\`, which is no record key that is trusted`);
  return key;
}

function readLeaf({ payload, keyid }: SignedLeaf, keys: KeySet): VerifiedLeaf {
  const { record, subject } = readRecord(payload);
  const { revokedAt } = requireSigningKey(record, keyid, keys);
  return { record, subject, revokedAt };
}
