// SPDX-License-Identifier: Apache-2.0
import type { Receipt } from '@writ/contract';
import { revocationIn } from './judge-by-place.ts';
import type { KeyHistory } from './judge-by-place.ts';
import type { KeySet } from './key-set.ts';
import { ReceiptError } from './receipt-error.ts';
import { verifyReceipt } from './verify.ts';
import type { VerifiedReceipt } from './verify.ts';
import type { Witnessing } from './trust-policy.ts';

/**
 * Reads the receipts of key records. A receipt by a key that was revoked since is no error, and says nothing.
 *
 * @throws ReceiptError for a receipt that doesn't verify, or that is of another kind of record
 */
export function readKeyHistory(
  receipts: readonly Receipt[],
  keys: KeySet,
  witnessing: Witnessing | null = null,
): KeyHistory {
  return receipts.flatMap((receipt) => {
    const verified = verifiedOr(receipt, keys, witnessing);
    if (verified === null) return [];
    const { record, checkpoint } = verified;
    if (record.kind !== 'key') throw new ReceiptError('expectation', `\`${record.record_id}\` is no record of a key`);
    return revocationIn(record, checkpoint.origin, receipt.inclusion.leaf_index) ?? [];
  });
}

function verifiedOr(receipt: Receipt, keys: KeySet, witnessing: Witnessing | null): VerifiedReceipt | null {
  const isBy = (keyid: string): boolean => (keys.recordKeys.get(keyid)?.revokedAt ?? null) !== null;
  // Its signature isn't looked at either: whoever has the key could have made a good one.
  if (receipt.envelope.signatures.some(({ keyid }) => isBy(keyid))) return null;
  // Of a history that was kept, nobody asks how lately it was seen: it can only have grown.
  const terms =
    witnessing === null ? null : { ...witnessing, terms: { ...witnessing.terms, checkpointAgeMaxMs: null } };
  return verifyReceipt(receipt, keys, {}, terms);
}
