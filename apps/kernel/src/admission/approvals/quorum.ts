// SPDX-License-Identifier: Apache-2.0
import type { AutonomyMode, VoteCount } from '@writ/contract';
import type { Right, Vote } from '../../execution/held/index.ts';
import { stricter, type GivenApproval, type Judgement } from '../../judging/judgement/index.ts';
import { countVotes, approvalsIn } from '../../execution/held/votes-of-call.ts';
import type { HeldCall } from '../../foundation/rows/held-rows.ts';

/** The vote count of a held call with one more approval. */
export interface Tally extends VoteCount {
  readonly autonomy_mode: AutonomyMode;
}

/**
 * Approvals of an edited call: the author of the policy and one other person. Where the author of the policy approves
 * alone, no independent person has seen the call.
 */
const EDITED_CALL_QUORUM_MIN = 2;

/**
 * Counts the votes for a held call, with one more. The quorum is at least what was asked when the call was held, and at
 * least what `judged` asks now. INVARIANT (a quorum only grows): while the call is held, no change of facts lowers the
 * number of persons.
 */
export function tallyOf(held: HeldCall, vote: Vote, judged?: Pick<Judgement, 'autonomy_mode' | 'approvers'>): Tally {
  const { approval, votes } = held;
  const autonomy_mode =
    judged === undefined ? approval.autonomy_mode : stricter(approval.autonomy_mode, judged.autonomy_mode);
  const approvals = [...votes, { ...vote, effect_digest: null, record_id: null, created_at: held.now, stands: true }];
  const required = Math.max(approval.quorum, judged?.approvers?.count ?? 1);
  const quorum = isAuthorAlone(held, vote) ? Math.max(required, EDITED_CALL_QUORUM_MIN) : required;
  return { ...countVotes({ autonomy_mode, quorum, votes: approvals }), autonomy_mode };
}

/** The supervision that the voters together satisfy: that of the least entitled of them. */
export function satisfiedBy({ votes }: HeldCall, right: Right): GivenApproval['satisfies'] {
  return [...approvalsIn(votes), right].every(({ role }) => role === 'admin') ? 'escalated' : 'soft_gate';
}

/** Whether the only approver of an edited call is the author of the active policy that holds it. */
function isAuthorAlone({ operation, votes, policy_author: author = null }: HeldCall, vote: Vote): boolean {
  const isEdited = operation.proposers.length > 1;
  return (
    isEdited &&
    author !== null &&
    [...approvalsIn(votes), vote].every(({ principal, cast_as }) => principal === author || cast_as === author)
  );
}
