// SPDX-License-Identifier: Apache-2.0
import type { PolicySet } from './policy-set.ts';

/** The approver groups that a set names: in its rules, and in its escalation. Sorted. */
export function groupsNamedIn({ rules, document }: Pick<PolicySet, 'rules' | 'document'>): string[] {
  const named = [
    ...[...rules.values()].flatMap(({ demands }) => demands?.any_of ?? []),
    ...(document.waiting?.escalation ?? []).flatMap(({ to }) => to),
  ];
  return [...new Set(named)].sort();
}
