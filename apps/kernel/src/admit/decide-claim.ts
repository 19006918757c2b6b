// SPDX-License-Identifier: Apache-2.0
import { refusal, type CallFacts, type Refusal } from '../judgement/index.ts';
import type { OperationRow } from '../store/index.ts';
import type { Proposal } from './proposal.ts';

/** What an idempotency key that was used before makes of the call: the original operation, or a refusal. */
export type ClaimVerdict = { readonly effect: 'replay'; readonly original: OperationRow } | Refusal;

/** Null for a call whose key is free, or that has none. The same arguments under the same token get the original, in whatever state it is. */
export function decideClaim(proposal: Proposal, { claim }: CallFacts): ClaimVerdict | null {
  if (claim === null) return null;
  if (claim.fingerprint === null) return refusal('idempotency.expired', 'the call of this idempotency key was erased', 'use a new key');
  const isSame = claim.fingerprint === proposal.fingerprint?.toString('hex') && claim.capability_token_id === proposal.call.capability_token_id;
  if (isSame) return { effect: 'replay', original: claim.operation };
  return refusal('idempotency.mismatch', 'the idempotency key was used with other arguments or another token', 'use a new key for a new call');
}
