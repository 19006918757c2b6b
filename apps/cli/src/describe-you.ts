// SPDX-License-Identifier: Apache-2.0
import type { YourDecision } from '@writ/contract';
import { visibleLine } from './visible.ts';

const VOTED = { approve: 'you have approved it', deny: 'you have denied it' } as const;

/** What the caller may decide, in words. Of a call that was decided it only says what the caller decided. */
export function describeYou(
  { may_approve, may_deny, why, delegations, voted }: YourDecision,
  isPending: boolean,
): string | null {
  const vote = voted === null ? [] : [VOTED[voted]];
  if (!isPending) return vote[0] ?? null;
  const may = [...(may_approve ? ['approve'] : []), ...(may_deny ? ['deny'] : [])];
  return [
    ...vote,
    may.length === 0 ? 'you may neither approve nor deny it' : `you may ${may.join(' or ')} it`,
    ...delegations.map((id) => `you may approve it with --delegation ${id}`),
    ...why.map(({ code, message }) => visibleLine(`${code}: ${message}`)),
  ].join('\n');
}
