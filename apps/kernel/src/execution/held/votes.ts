// SPDX-License-Identifier: Apache-2.0
import type { Caller } from '@writ/contract';
import { principalOf } from '@writ/contract';
import { contentDigest } from '../../evidence/changes/index.ts';
import { newId } from '@writ/nest-kit';
import { yesesOf } from './votes-of-call.ts';
import type { VoteRole, HeldCall } from '../../foundation/rows/held-rows.ts';

/** With which right somebody decides: their own, or one that was lent to them. */
export interface Right {
  /** whose right it is, and so whose vote */
  readonly principal: string;
  readonly role: VoteRole;
  readonly delegation_id: string | null;
}

/** What one person says about a held call, as kernel.put_vote takes it. */
export interface Vote extends Right {
  readonly vote_id: string;
  readonly approval_id: string;
  readonly says: 'approve' | 'deny';
  readonly cast_by: string;
  readonly cast_as: string;
  readonly comment: string | null;
  /** what it is counted with: of another asking, or beside other votes, it is counted anew */
  readonly seen: { readonly asked: number; readonly votes: readonly string[] };
}

export function newVote(
  { approval, votes }: HeldCall,
  caller: Caller,
  right: Right,
  said: Pick<Vote, 'says' | 'comment'>,
): Vote {
  return {
    ...right,
    ...said,
    vote_id: newId('vote'),
    approval_id: approval.approval_id,
    cast_by: caller.api_key_id,
    cast_as: principalOf(caller),
    seen: { asked: approval.asked, votes: yesesOf(votes).map(({ vote_id }) => vote_id) },
  };
}

/**
 * Whether it needs a record of its own. A yes of one's own that is all that is asked is what the approval's record
 * says.
 */
export const isRecordedApart = ({ approval }: HeldCall, { says, delegation_id, seen }: Vote): boolean =>
  delegation_id !== null || (says === 'approve' && (approval.quorum > 1 || seen.votes.length > 0));

/**
 * What the record of a vote vouches for, beside the ids in it: who said yes, by which right, to what. Names of persons
 * stay out of the log.
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
