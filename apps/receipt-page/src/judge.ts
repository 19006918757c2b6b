// SPDX-License-Identifier: Apache-2.0
import type { AuditRecord } from '@writ/contract';
import {
  CHECKS,
  deploymentOfOrigin,
  parseKeySet,
  parseReceipt,
  parseTrustPolicy,
  ReceiptError,
  usageCounted,
  verifyReceiptFile,
  type KeySet,
  type VerifiedReceipt,
  type Witnessing,
} from '@writ/receipt';

/** What somebody gave to be judged. The receipt is attacker-controlled; whom to trust is theirs to know. */
export interface Given {
  readonly receipt: Uint8Array;
  /** The bytes of `writ-keys.json` or of a trust policy. */
  readonly trust: Uint8Array;
  /** The operation that was asked about; empty for any. */
  readonly operation: string;
}

/** A judgement in words. Texts of a receipt may stand in it: show it as text and never as markup. */
export interface Judgement {
  readonly isGood: boolean;
  readonly says: string;
  readonly lines: readonly string[];
}

interface Terms {
  readonly keys: KeySet;
  readonly witnessing: Witnessing | null;
}

/** Judges a receipt. `now` in milliseconds since the epoch. Never throws for what it is given. */
export function judge({ receipt, trust, operation }: Given, now: number): Judgement {
  try {
    const { keys, witnessing } = termsOf(trust, receipt, now);
    return good(verifyReceiptFile(receipt, keys, operation === '' ? {} : { operationId: operation }, witnessing));
  } catch (error) {
    if (!(error instanceof ReceiptError)) throw error;
    const what =
      error.check === 'keys' ? "Whom to trust can't be told from this file." : 'This receipt does not verify.';
    return {
      isGood: false,
      says: what,
      lines: [`It should be so that ${CHECKS[error.check]}.`, `It isn't: ${error.message}.`],
    };
  }
}

/** A file with `deployments` is a trust policy, any other is a set of keys; each refuses what it doesn't know. */
function termsOf(trust: Uint8Array, receipt: Uint8Array, now: number): Terms {
  if (!isPolicy(trust)) return { keys: parseKeySet(trust), witnessing: null };
  const policy = parseTrustPolicy(trust);
  const [origin = ''] = parseReceipt(receipt).inclusion.checkpoint.split('\n');
  // Not verified yet: whatever deployment the checkpoint claims, it is then verified under the keys of that one.
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

function good({ record, checks, deployment }: VerifiedReceipt): Judgement {
  return {
    isGood: true,
    says: `This receipt verifies: ${saysOf(record)}.`,
    lines: [
      `Deployment: ${deployment}`,
      `Recorded: ${new Date(record.recorded_at).toISOString()}`,
      ...usageLines(record),
      ...checks.map(({ name, detail }) => `${CHECKS[name]}: ${detail}`),
    ],
  };
}

function usageLines(record: AuditRecord): string[] {
  const counted = usageCounted(record);
  return counted === null ? [] : [`Usage: ${counted}`];
}

/** What the record says, as a sentence without its full stop. */
function saysOf({
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
