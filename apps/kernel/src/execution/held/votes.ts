// SPDX-License-Identifier: Apache-2.0
import type { Caller } from '@writ/contract';
import { principalOf } from '@writ/contract';
import { contentDigest } from '../../evidence/changes/index.ts';
import { newId } from '@writ/nest-kit';
import { approvalsIn } from './votes-of-call.ts';
import type { VoteRole, HeldCall } from '../../foundation/rows/held-rows.ts';

/** The right by which a person decides: their own, or one that was lent to them. */
export interface Right {
  /** the person whose right it is, and so whose vote */
  readonly principal: string;
  readonly role: VoteRole;
  readonly delegation_id: string | null;
  /** the approver groups that this person and the one who uses the right are both members of */
  readonly groups: readonly string[];
}

/** A person's vote on a held call, as kernel.put_vote takes it. */
export interface Vote extends Right {
  readonly vote_id: string;
  readonly approval_id: string;
  readonly says: 'approve' | 'deny';
  readonly cast_by: string;
  readonly cast_as: string;
  readonly comment: string | null;
  /** the state that it is counted with: if the request or the other votes have changed, it is counted anew */
  readonly seen: { readonly asked: number; readonly votes: readonly string[] };
}

export function newVote(
  { approval, votes }: HeldCall,
  caller: Caller,
  right: Right,
  vote: Pick<Vote, 'says' | 'comment'>,
): Vote {
  return {
    ...right,
    ...vote,
    vote_id: newId('vote'),
    approval_id: approval.approval_id,
    cast_by: caller.api_key_id,
    cast_as: principalOf(caller),
    seen: { asked: approval.asked, votes: approvalsIn(votes).map(({ vote_id }) => vote_id) },
  };
}

/**
 * Whether the vote needs a record apart from the approval's. A single approval by the voter's own right is in the
 * approval's record.
 */
export const hasOwnRecord = ({ approval }: HeldCall, { says, delegation_id, seen }: Vote): boolean =>
  delegation_id !== null || (says === 'approve' && (approval.quorum > 1 || seen.votes.length > 0));

/**
 * The digest that the record of a vote vouches for, apart from the ids in it: who approved, by which right, what. Names
 * of persons stay out of the log.
 */
export function voteDigest(
  { approval, operation }: HeldCall,
  { vote_id, says, principal, role, cast_by, cast_as, delegation_id }: Vote,
): string {
  return contentDigest({
    vote_id,
    approval_id: approval.approval_id,
    says,
    principal,
    role,
    cast_by,
    cast_as,
    delegation_id,
    action_digest: approval.action_digest,
    effect_digest: approval.effect_digest,
    policy_hash: operation.policy_hash,
  });
}
