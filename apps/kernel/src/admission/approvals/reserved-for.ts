// SPDX-License-Identifier: Apache-2.0
import type { ApprovalView } from '@writ/contract';
import { viewDemands } from '../../execution/held/index.ts';
import { countedVotes } from '../../execution/held/votes-of-call.ts';
import type { HeldCall } from '../../foundation/rows/held-rows.ts';

/** Whom it is reserved for, and what comes next while it waits; a view without them is of an approval for anybody. */
export function reservedFor({
  approval,
  votes,
}: Pick<HeldCall, 'approval' | 'votes'>): Pick<ApprovalView, 'groups' | 'escalated_to' | 'escalates_at'> {
  const { demands, escalated_to, escalations, escalated, state, created_at } = approval;
  const next = state === 'pending' ? escalations?.[escalated] : undefined;
  return {
    ...(demands === null ? {} : { groups: viewDemands(approval, countedVotes({ ...approval, votes })) }),
    ...(escalated_to.length === 0 ? {} : { escalated_to: [...escalated_to] }),
    ...(next === undefined ? {} : { escalates_at: created_at + next.after_ms }),
  };
}
