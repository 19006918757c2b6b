// SPDX-License-Identifier: Apache-2.0
import { Fault, type AutonomyMode, type VoteCount } from '@writ/contract';
import { isOfGroups, mergeDemands, type Demands, type Right, type Vote } from '../../execution/held/index.ts';
import { stricter, type GivenApproval, type Judgement } from '../../judging/judgement/index.ts';
import { countVotes, approvalsIn } from '../../execution/held/votes-of-call.ts';
import type { HeldCall, ReservedFor } from '../../foundation/rows/held-rows.ts';

/** The vote count of a held call with one more approval. */
export interface Tally extends VoteCount {
  readonly autonomy_mode: AutonomyMode;
  /** how many persons must approve, whatever their groups */
  readonly quorum: number;
  /** what is demanded of their groups: by the approval, and by the judgement of now */
  readonly demands: Demands;
  /** the vote, with the others that count now: kernel.put_vote compares them */
  readonly vote: Vote;
}

/**
 * Approvals of an edited call: the author of the policy and one other person. Where the author of the policy approves
 * alone, no independent person has seen the call.
 */
const EDITED_CALL_QUORUM_MIN = 2;

/**
 * Counts the votes for a held call, with one more. The quorum is at least what was asked when the call was held, and at
 * least what `judged` asks now. INVARIANT (a quorum only grows): while the call is held, no change of facts lowers the
 * number of persons, and none drops what is demanded of their groups.
 * @throws Fault `approval.not_in_group`
 */
export function tallyOf(held: HeldCall, vote: Vote, judged?: Pick<Judgement, 'autonomy_mode' | 'approvers'>): Tally {
  const { approval, votes } = held;
  const autonomy_mode =
    judged === undefined ? approval.autonomy_mode : stricter(approval.autonomy_mode, judged.autonomy_mode);
  const one = { ...vote, effect_digest: null, record_id: null, created_at: held.now, stands: true };
  const demands = mergeDemands(approval.demands, judged?.approvers?.groups);
  const reserved = { demands, escalated_to: approval.escalated_to };
  if (!isOfGroups(one, reserved)) throw new Fault('approval.not_in_group', groupWords(reserved));
  const required = Math.max(approval.quorum, judged?.approvers?.count ?? 1);
  const seen = approvalsIn(votes).filter((each) => isOfGroups(each, reserved));
  const quorum = isAuthorAlone({ ...held, votes: seen }, vote) ? Math.max(required, EDITED_CALL_QUORUM_MIN) : required;
  return {
    ...countVotes({ autonomy_mode, quorum, ...reserved, votes: [...votes, one] }),
    autonomy_mode,
    quorum,
    demands,
    vote: { ...vote, seen: { ...vote.seen, votes: seen.map(({ vote_id }) => vote_id) } },
  };
}

/** Which groups may decide. Their names are no secret to approvers. */
const groupWords = ({ demands, escalated_to }: ReservedFor): string =>
  `the approval is reserved for ${[...new Set([...(demands ?? []).flatMap(({ any_of }) => any_of), ...escalated_to])]
    .map((name) => `\`${name}\``)
    .join(', ')}`;

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
