// SPDX-License-Identifier: Apache-2.0
import type { AutonomyMode, VoteCount } from '@writ/contract';
import type { Right, Vote } from '../../execution/held/index.ts';
import { stricter, type GivenApproval, type Judgement } from '../../judging/judgement/index.ts';
import { countVotes, yesesOf } from '../../execution/held/votes-of-call.ts';
import type { HeldCall } from '../../foundation/rows/held-rows.ts';

/** Where a held call stands with one more yes. */
export interface Tally extends VoteCount {
  readonly autonomy_mode: AutonomyMode;
}

/**
 * Somebody who wrote the rules and somebody else: an edited call that its author alone approves has been seen by nobody
 * who had no hand in what holds it.
 */
const BESIDE_THE_AUTHOR = 2;

/**
 * Counts the votes for a held call with one more. What was asked when it was held is asked at least; `judged`: and what
 * is asked now. INVARIANT (a quorum only grows): while it is held, no change of facts makes fewer persons enough.
 */
export function tallyOf(held: HeldCall, vote: Vote, judged?: Pick<Judgement, 'autonomy_mode' | 'approvers'>): Tally {
  const { approval, votes } = held;
  const autonomy_mode =
    judged === undefined ? approval.autonomy_mode : stricter(approval.autonomy_mode, judged.autonomy_mode);
  const yeses = [...votes, { ...vote, effect_digest: null, record_id: null, created_at: held.now, stands: true }];
  const asked = Math.max(approval.quorum, judged?.approvers?.count ?? 1);
  const quorum = isAuthorAlone(held, vote) ? Math.max(asked, BESIDE_THE_AUTHOR) : asked;
  return { ...countVotes({ autonomy_mode, quorum, votes: yeses }), autonomy_mode };
}

/** What the voters together are good for: as much as the least of them. */
export function satisfiedBy({ votes }: HeldCall, right: Right): GivenApproval['satisfies'] {
  return [...yesesOf(votes), right].every(({ role }) => role === 'admin') ? 'escalated' : 'soft_gate';
}

/** Whether the only person who approves an edited call is who put the policy into force that holds it. */
function isAuthorAlone({ operation, votes, policy_author: author = null }: HeldCall, vote: Vote): boolean {
  const isEdited = operation.proposers.length > 1;
  return (
    isEdited &&
    author !== null &&
    [...yesesOf(votes), vote].every(({ principal, cast_as }) => principal === author || cast_as === author)
  );
}
