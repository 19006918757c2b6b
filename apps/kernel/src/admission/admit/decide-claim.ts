// SPDX-License-Identifier: Apache-2.0
import { refusal, type CallFacts, type Refusal } from '../../judging/judgement/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { Claim } from '../../foundation/database/functions/admission.ts';
import type { Proposal } from './proposal.ts';

/** What happens to a call with a used idempotency key: the answer is the original operation, or a refusal. */
export type ClaimVerdict = { readonly effect: 'replay'; readonly original: OperationRow } | Refusal;

/**
 * Null for a call without a key, and for one whose key is free. A call for the same person with the same tool,
 * arguments, token and workspace gets the original operation, whatever its state.
 */
export function decideClaim(proposal: Proposal, { claim }: CallFacts): ClaimVerdict | null {
  if (claim === null) return null;
  if (claim.fingerprint === null)
    return refusal('idempotency.expired', 'the call of this idempotency key was erased', 'use a new key');
  const other = differenceOf(proposal, claim);
  if (other === null) return { effect: 'replay', original: claim.operation };
  return refusal('idempotency.mismatch', `the idempotency key was used ${other}`, 'use a new key for a new call');
}

/**
 * How the call differs from the one that has its key; null where it doesn't. The workspace is compared too: the same
 * arguments on another workspace have another effect. A replay there would report an effect that did not happen.
 *
 * INVARIANT (one person): the person comes first, so that a call for one person finds out nothing of another's call,
 * not even whether its arguments were the same.
 */
function differenceOf({ call, fingerprint }: Proposal, claim: Claim): string | null {
  const { operation } = claim;
  if (isForAnother(call, claim)) return 'for a call on behalf of another person';
  if (operation.tool_id !== call.tool_id) return 'with another tool';
  if (claim.fingerprint !== fingerprint?.toString('hex')) return 'with other arguments';
  if (claim.capability_token_id !== call.capability_token_id) return 'with another capability token';
  return operation.workspace_id === call.workspace_id ? null : 'on another workspace';
}

/**
 * A credential is of one person for ever, so a call by the same one is for the same person, also where the pseudonym
 * was forgotten meanwhile. Two credentials are compared by subject, which decides whose rights a call has at an MCP
 * server, and by the pseudonym. A call for a known person isn't the same as one for nobody in particular.
 */
function isForAnother({ proposed_by, person }: Proposal['call'], { operation, same_subject }: Claim): boolean {
  if (operation.proposed_by === proposed_by) return false;
  return same_subject === false || (operation.person ?? null) !== (person ?? null);
}
