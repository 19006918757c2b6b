// SPDX-License-Identifier: Apache-2.0
//
// Verifies a leaf of a log by itself: that a kernel signed it. INVARIANT (signed only): what is returned was read from
// bytes that a known record key signed, after the signature was checked. Where the leaf stands, and that the log has
// it, the root over all leaves says and nothing here.
import { RECORD_PAYLOAD_TYPE } from '@writ/contract';
import { decodeBase64, pae, SignatureError } from '@writ/signing';
import type { KeySet, RecordKey } from './key-set.ts';
import { ReceiptError } from './receipt-error.ts';
import { within } from './refuse.ts';
import { readRecord, requireSigningKey } from './signed-record.ts';
import type { SignedRecord } from './signed-record.ts';

/** A leaf's bytes, out of a bundle of entries, and who signed them. */
export interface SignedLeaf {
  readonly payload: Uint8Array;
  /** RFC 7638 thumbprint of the record key */
  readonly keyid: string;
  /** base64 */
  readonly sig: string;
}

export interface VerifiedLeaf extends SignedRecord {
  /**
   * From when on nobody answers for the key; null for one that was not revoked. What it signed is good where the leaf
   * stands before the revocation's: `judgeByPlace`.
   */
  readonly revokedAt: number | null;
}

/**
 * Verifies that a trusted record key signed a leaf, and could when the record says that it was made. Of a revoked key
 * that is not enough: callers MUST judge by `revokedAt`.
 *
 * @throws ReceiptError `signature`, `statement`, `record`, `predicate_type`, `subject`, `record_key` or `key_validity`,
 * and nothing else, whatever the leaf
 */
export function verifyLeaf(leaf: SignedLeaf, keys: KeySet): VerifiedLeaf {
  const { verifier } = signingKeyOf(leaf, keys);
  within('signature', () => {
    verifier.verify(pae(RECORD_PAYLOAD_TYPE, leaf.payload), decodeBase64(leaf.sig));
  });
  return readLeaf(leaf, keys);
}

/** `verifyLeaf` with the signature verified beside the event loop: for who verifies many. Rejects as that throws. */
export async function verifyLeafAside(leaf: SignedLeaf, keys: KeySet): Promise<VerifiedLeaf> {
  const { verifier } = signingKeyOf(leaf, keys);
  const signature = within('signature', () => decodeBase64(leaf.sig));
  await verifier.verifyAside(pae(RECORD_PAYLOAD_TYPE, leaf.payload), signature).catch((cause: unknown) => {
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
