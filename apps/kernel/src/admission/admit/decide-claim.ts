// SPDX-License-Identifier: Apache-2.0
import { refusal, type CallFacts, type Refusal } from '../../judging/judgement/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { Claim } from '../../foundation/database/functions/admission.ts';
import type { Proposal } from './proposal.ts';

/** What happens to a call with a used idempotency key: the answer is the original operation, or a refusal. */
export type ClaimVerdict = { readonly effect: 'replay'; readonly original: OperationRow } | Refusal;

/**
 * Null for a call without a key, and for one whose key is free. A call with the same arguments, token and workspace
 * gets the original operation, whatever its state.
 */
export function decideClaim(proposal: Proposal, { claim }: CallFacts): ClaimVerdict | null {
  if (claim === null) return null;
  if (claim.fingerprint === null)
    return refusal('idempotency.expired', 'the call of this idempotency key was erased', 'use a new key');
  if (isSame(proposal, claim)) return { effect: 'replay', original: claim.operation };
  return refusal(
    'idempotency.mismatch',
    'the idempotency key was used with other arguments, another token or another workspace',
    'use a new key for a new call',
  );
}

/**
 * The workspace is compared too: the same arguments on another workspace have another effect. A replay there would
 * report an effect that did not happen.
 */
function isSame({ call, fingerprint }: Proposal, claim: Claim): boolean {
  return (
    claim.fingerprint === fingerprint?.toString('hex') &&
    claim.capability_token_id === call.capability_token_id &&
    claim.operation.workspace_id === call.workspace_id
  );
}
