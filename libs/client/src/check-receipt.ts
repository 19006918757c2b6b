// SPDX-License-Identifier: Apache-2.0
import {
  deploymentOfOrigin,
  parseKeySet,
  parseTrustPolicy,
  readReceiptFile,
  ReceiptError,
  verifyReceiptFile,
  type KeySet,
  type Witnessing,
} from '@writ/receipt';
import { ReceiptVerificationError } from './errors.ts';
import type { AuditRecord } from './generated/types.ts';
import type { ExpectedReceipt, TrustedKeys, VerifiedReceipt } from './verified-receipt.ts';

interface Terms {
  readonly keys: KeySet;
  readonly witnessing: Witnessing | null;
}

/** Verifies a receipt at a time, in milliseconds since the epoch. @throws ReceiptVerificationError */
export function checkReceipt(
  file: string | Uint8Array,
  trusted: TrustedKeys,
  expected: ExpectedReceipt,
  now: number,
): VerifiedReceipt {
  try {
    const { keys, witnessing } = termsOf(trusted, file, now);
    const { deployment, record, checks, checkpoint } = verifyReceiptFile(file, keys, expected, witnessing);
    return {
      deployment,
      record: record as AuditRecord,
      checks: checks.map(({ name, detail }) => ({ name, detail })),
      treeSize: checkpoint.treeSize,
    };
  } catch (error) {
    if (!(error instanceof ReceiptError)) throw error;
    throw new ReceiptVerificationError(error.check, `${error.message} [${error.check}]`, { cause: error });
  }
}

/** A file with `deployments` is a trust policy, any other is a set of keys. Each parser refuses unknown members. */
function termsOf(trusted: TrustedKeys, file: string | Uint8Array, now: number): Terms {
  if (!isPolicy(trusted)) return { keys: parseKeySet(trusted), witnessing: null };
  const policy = parseTrustPolicy(trusted);
  const [origin = ''] = readReceiptFile(file).receipt.inclusion.checkpoint.split('\n');
  // The origin isn't verified yet: the checkpoint is verified next with the keys of the deployment that it claims.
  const deployment = deploymentOfOrigin(policy, origin);
  if (deployment === undefined)
    throw new ReceiptError('keys', `the trust policy names no deployment that \`${origin}\` could be a log of`);
  return {
    keys: deployment.keys,
    witnessing: deployment.witnesses === null ? null : { terms: deployment.witnesses, now },
  };
}

function isPolicy(trusted: TrustedKeys): boolean {
  try {
    const value: unknown = JSON.parse(typeof trusted === 'string' ? trusted : new TextDecoder().decode(trusted));
    return typeof value === 'object' && value !== null && 'deployments' in value;
  } catch {
    return false;
  }
}
