// SPDX-License-Identifier: Apache-2.0
import { ReceiptError, verifyLeafAside, type KeySet, type SignedLeaf, type VerifiedLeaf } from '@writ/receipt';
import { CliError } from '../cli-error.ts';
import type { SigningTally } from './signing-tally.ts';

/** Whose records a log may hold. */
export interface Signed {
  /** as its checkpoints name it */
  readonly origin: string;
  readonly keys: KeySet;
}

/** What was found so far. */
export interface Count {
  /** records whose signature was verified */
  verified: number;
  /** who signed them */
  readonly tally: SigningTally;
}

/**
 * Verifies the kernel's signature of each of these leaves, over all cores, and counts them. The first of the log that
 * fails is the one that is named, whichever was looked at first.
 *
 * @throws CliError `verify.<check>`, with the index of the record
 */
export async function verifySignatures(
  leaves: readonly SignedLeaf[],
  first: number,
  { origin, keys }: Signed,
  count: Count,
): Promise<void> {
  const judged = await Promise.allSettled(leaves.map((leaf) => verifyLeafAside(leaf, keys)));
  judged.forEach((one, i) => {
    if (one.status === 'rejected') throw failureOf(one.reason, first + i);
    requireLog(one.value, origin, first + i);
    count.tally.add(one.value, first + i);
    count.verified += 1;
  });
}

function requireLog({ record: { log_id } }: VerifiedLeaf, origin: string, index: number): void {
  if (!origin.endsWith(`/${log_id}`))
    throw new CliError('verify.origin', `record ${String(index)}: it was signed for another log, \`${log_id}\``);
}

function failureOf(reason: unknown, index: number): unknown {
  return reason instanceof ReceiptError
    ? new CliError(`verify.${reason.check}`, `record ${String(index)}: ${reason.message}`)
    : reason;
}
