// SPDX-License-Identifier: Apache-2.0
import { refusal, type CallFacts, type Refusal } from '../../judging/judgement/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { Claim } from '../../foundation/database/functions/admission.ts';
import type { Proposal } from './proposal.ts';

/** What an idempotency key that was used before makes of the call: the original operation, or a refusal. */
export type ClaimVerdict = { readonly effect: 'replay'; readonly original: OperationRow } | Refusal;

/**
 * Null for a call whose key is free, or that has none. The same arguments under the same token for the same workspace
 * get the original, in whatever state it is.
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
 * The workspace counts: the same arguments elsewhere are another effect, and the original's success would say that it
 * had happened.
 */
function isSame({ call, fingerprint }: Proposal, claim: Claim): boolean {
  return (
    claim.fingerprint === fingerprint?.toString('hex') &&
    claim.capability_token_id === call.capability_token_id &&
    claim.operation.workspace_id === call.workspace_id
  );
}
