// SPDX-License-Identifier: Apache-2.0
import type { ApproverDemand, ApproverDemandView } from '@writ/contract';
import type { ReservedFor, VoteRow } from '../../foundation/rows/held-rows.ts';

/** The demands of a judgement or a row; none where anybody of the role may approve. */
export type Demands = readonly ApproverDemand[];

/**
 * Both demands together: of the same groups the larger one. INVARIANT (demands only grow): while a call is held, no
 * change of facts drops a demand.
 */
export function mergeDemands(a: Demands | null | undefined, b: Demands | null | undefined): Demands {
  const merged = new Map<string, ApproverDemand>();
  for (const demand of [...(a ?? []), ...(b ?? [])]) {
    const key = [...demand.any_of].sort().join();
    if ((merged.get(key)?.count ?? 0) < demand.count) merged.set(key, demand);
  }
  return [...merged.values()];
}

/** As a column has them: null for none. */
export const demandsColumn = (demands: Demands): Demands | null => (demands.length === 0 ? null : demands);

/** Whether the approvals that met `met` also meet every demand: each by as many persons of no other groups. */
export const areCovered = (demands: Demands | undefined, met: Demands | null): boolean =>
  (demands ?? []).every(({ any_of, count }) =>
    (met ?? []).some((one) => one.count >= count && one.any_of.every((name) => any_of.includes(name))),
  );

/** Whether a vote is one of those that the approval is reserved for; each is where it is reserved for none. */
export const isOfGroups = ({ groups = [] }: Pick<VoteRow, 'groups'>, { demands, escalated_to }: ReservedFor): boolean =>
  (demands ?? []).length === 0 ||
  groups.some((name) => escalated_to.includes(name) || (demands ?? []).some(({ any_of }) => any_of.includes(name)));

/** Each demand with the number of these votes that count for it. */
export const viewDemands = (
  { demands, escalated_to }: ReservedFor,
  counted: readonly Pick<VoteRow, 'groups'>[],
): ApproverDemandView[] =>
  (demands ?? []).map(({ any_of, count }) => ({
    any_of,
    count,
    given: counted.filter(({ groups = [] }) =>
      groups.some((name) => any_of.includes(name) || escalated_to.includes(name)),
    ).length,
  }));
