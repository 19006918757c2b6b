// SPDX-License-Identifier: Apache-2.0
import type { AuditRecord } from '@writ/contract';
import {
  CHECKS,
  deploymentOfOrigin,
  parseKeySet,
  readReceiptFile,
  parseTrustPolicy,
  ReceiptError,
  executedBy,
  usageCounted,
  verifyReceiptFile,
  type KeySet,
  type VerifiedFile,
  type Witnessing,
} from '@writ/receipt';

/** The inputs of a verification. The receipt is attacker-controlled; the trust file is the verifier's own. */
export interface VerificationInput {
  readonly receipt: Uint8Array;
  /** The bytes of `writ-keys.json` or of a trust policy. */
  readonly trust: Uint8Array;
  /** The requested operation; empty for any. */
  readonly operation: string;
}

/** A verdict as text. It may contain texts of a receipt: show it as text and never as markup. */
export interface Judgement {
  readonly isGood: boolean;
  readonly summary: string;
  readonly lines: readonly string[];
}

interface TrustTerms {
  readonly keys: KeySet;
  readonly witnessing: Witnessing | null;
}

/** Verifies a receipt. `now` in milliseconds since the epoch. Never throws, whatever the inputs are. */
export function judge({ receipt, trust, operation }: VerificationInput, now: number): Judgement {
  try {
    const { keys, witnessing } = trustTermsOf(trust, receipt, now);
    return successOf(verifyReceiptFile(receipt, keys, operation === '' ? {} : { operationId: operation }, witnessing));
  } catch (error) {
    if (!(error instanceof ReceiptError)) throw error;
    const what =
      error.check === 'keys' ? 'This file names no keys that can be trusted.' : 'This receipt does not verify.';
    return { isGood: false, summary: what, lines: [`Expected: ${CHECKS[error.check]}.`, `Found: ${error.message}.`] };
  }
}

/**
 * Reads the trust file. A file with `deployments` is a trust policy, any other is a set of keys; each parser refuses
 * unknown members.
 */
function trustTermsOf(trust: Uint8Array, receipt: Uint8Array, now: number): TrustTerms {
  if (!isPolicy(trust)) return { keys: parseKeySet(trust), witnessing: null };
  const policy = parseTrustPolicy(trust);
  const [origin = ''] = readReceiptFile(receipt).receipt.inclusion.checkpoint.split('\n');
  // The origin is not verified yet: the checkpoint is then verified with the keys of the deployment that it claims.
  const deployment = deploymentOfOrigin(policy, origin);
  if (deployment === undefined)
    throw new ReceiptError('keys', `the trust policy names no deployment that \`${origin}\` could be a log of`);
  return {
    keys: deployment.keys,
    witnessing: deployment.witnesses === null ? null : { terms: deployment.witnesses, now },
  };
}

function isPolicy(trust: Uint8Array): boolean {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(trust));
    return typeof value === 'object' && value !== null && 'deployments' in value;
  } catch {
    return false;
  }
}

function successOf({ record, checks, deployment, isReformatted }: VerifiedFile): Judgement {
  return {
    isGood: true,
    summary: `This receipt verifies: ${summaryOf(record)}.`,
    lines: [
      `Deployment: ${deployment}`,
      ...(isReformatted ? [REFORMATTED] : []),
      `Recorded: ${new Date(record.recorded_at).toISOString()}`,
      ...executionLines(record),
      ...usageLines(record),
      ...checks.map(({ name, detail }) => `${CHECKS[name]}: ${detail}`),
    ],
  };
}

/** What an editor or a formatter did to the file. */
const REFORMATTED = 'Note: the file was reformatted. Its content is unchanged, and that is what was verified.';

function executionLines(record: AuditRecord): string[] {
  const executed = executedBy(record);
  return executed === null ? [] : [`Executed by: ${executed}`];
}

function usageLines(record: AuditRecord): string[] {
  const counted = usageCounted(record);
  return counted === null ? [] : [`Usage: ${counted}`];
}

/** A summary of the record, as a sentence without its full stop. */
function summaryOf({
  kind,
  phase,
  operation_id,
  tool_id,
  verdict,
  tx_outcome,
  record_id,
  fault_code,
}: AuditRecord): string {
  if (kind !== 'tool_call') return `record ${record_id} of the kind \`${kind}\``;
  const call = `the call ${operation_id ?? ''} of \`${tool_id ?? 'no known tool'}\``;
  const why = fault_code === null ? '' : ` (\`${fault_code}\`)`;
  return phase === 'outcome'
    ? `${call} ended as \`${tx_outcome ?? 'unknown'}\`${why}`
    : `${call} was decided on: \`${verdict ?? 'unknown'}\`${why}`;
}
