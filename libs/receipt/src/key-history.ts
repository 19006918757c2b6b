// SPDX-License-Identifier: Apache-2.0
import type { Receipt } from '@writ/contract';
import { parseRevocation } from './judge-by-log-position.ts';
import type { KeyHistory } from './judge-by-log-position.ts';
import type { KeySet } from './key-set.ts';
import { ReceiptError } from './receipt-error.ts';
import { verifyReceipt } from './verify.ts';
import type { VerifiedReceipt } from './verify.ts';
import type { Witnessing } from './trust-policy.ts';

/**
 * Reads the receipts of key records. A receipt by a key that was revoked since is no error, and is ignored.
 *
 * @throws ReceiptError for a receipt that doesn't verify, or of another kind of record
 */
export function readKeyHistory(
  receipts: readonly Receipt[],
  keys: KeySet,
  witnessing: Witnessing | null = null,
): KeyHistory {
  return receipts.flatMap((receipt) => {
    const verified = verifyUnlessRevoked(receipt, keys, witnessing);
    if (verified === null) return [];
    const { record, checkpoint } = verified;
    if (record.kind !== 'key') throw new ReceiptError('expectation', `\`${record.record_id}\` is no record of a key`);
    return parseRevocation(record, checkpoint.origin, receipt.inclusion.leaf_index) ?? [];
  });
}

function verifyUnlessRevoked(receipt: Receipt, keys: KeySet, witnessing: Witnessing | null): VerifiedReceipt | null {
  const isRevoked = (keyid: string): boolean => (keys.recordKeys.get(keyid)?.revokedAt ?? null) !== null;
  // Its signature isn't checked either: the thief of the key could have made a valid one.
  if (receipt.envelope.signatures.some(({ keyid }) => isRevoked(keyid))) return null;
  // A stored history needs no recent checkpoint: it can only have grown.
  const terms =
    witnessing === null ? null : { ...witnessing, terms: { ...witnessing.terms, checkpointAgeMaxMs: null } };
  return verifyReceipt(receipt, keys, {}, terms);
}
