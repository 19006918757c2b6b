// SPDX-License-Identifier: Apache-2.0
import { ReceiptError, verifyLeafOnThread, type KeySet, type SignedLeaf, type VerifiedLeaf } from '@writ/receipt';
import { CliError } from '../cli-error.ts';
import type { SigningTally } from './signing-tally.ts';

/** The log and the keys that may sign its records. */
export interface LogKeys {
  /** as its checkpoints name it */
  readonly origin: string;
  readonly keys: KeySet;
}

/** The result so far. */
export interface SignatureCount {
  /** records whose signature was verified */
  verified: number;
  /** which keys signed them */
  readonly tally: SigningTally;
}

/**
 * Verifies the kernel's signature of each of these leaves, over all cores, and counts them. The error names the failing
 * record with the lowest index, in whatever order they finish.
 *
 * @throws CliError `verify.<check>`, with the index of the record
 */
export async function verifySignatures(
  leaves: readonly SignedLeaf[],
  first: number,
  { origin, keys }: LogKeys,
  count: SignatureCount,
): Promise<void> {
  const results = await Promise.allSettled(leaves.map((leaf) => verifyLeafOnThread(leaf, keys)));
  results.forEach((result, i) => {
    if (result.status === 'rejected') throw failureOf(result.reason, first + i);
    requireLog(result.value, origin, first + i);
    count.tally.add(result.value, first + i);
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
