// SPDX-License-Identifier: Apache-2.0
// What messages of a step say, whatever shows them.
import { GROUPS_MAX, HEADINGS, utcOf, type ShownApproval } from './shown-approval.ts';
import type { Step } from './step.ts';

/** A fact about an approval. Its value may be attacker-controlled: show it as plain text. */
export type Fact = readonly [name: string, value: string];

/** What a message of a step says of the approval's state: what it waits for, or by whom and when it was decided. */
export function stateFactsOf(approval: ShownApproval, step: Step['kind']): Fact[] {
  const { of, votes, escalated_to = [], expires_at, decided_at, decided_by } = approval;
  if (step === 'end')
    return [
      ...(decided_by === null ? [] : [['By', decided_by] as const]),
      ...(decided_at === null ? [] : [['At', utcOf(decided_at)] as const]),
    ];
  return [
    ...(of === 'value' ? [['It waits for', 'a value that a person gives'] as const] : []),
    ...(votes.needed > 1 ? [['Votes', `${votes.given} of ${votes.needed}`] as const] : []),
    ...escalated_to.slice(0, GROUPS_MAX).map((group) => ['Escalated to', group] as const),
    ['Expires', utcOf(expires_at)],
  ];
}

/** The heading of a message of a step. */
export const headingOf = ({ state }: ShownApproval, step: Step['kind']): string =>
  step === 'escalate' ? 'Escalated: a call still waits for a person' : HEADINGS[state];
