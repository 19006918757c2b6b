// SPDX-License-Identifier: Apache-2.0
import type { PeriodBudgetUse } from '../database/functions/admission.ts';

const NOUNS = { agent: 'the agent', person: 'the person', group: 'the group', api_key: 'the API key' } as const;
/** Costs are in millionths. */
const MILLION = 1_000_000;

/** Says which budget is used up: whose it is, what it allows and how much of it is used. */
export function usedUpMessage(budget: PeriodBudgetUse): string {
  const { budget_id, period, bound, used } = budget;
  return `the budget \`${budget_id}\` allows ${amountOf(budget, bound)} a ${period} for ${subjectOf(budget)}, and ${amountOf(budget, used)} ${used === 1 ? 'is' : 'are'} used`;
}

function amountOf({ measure, currency }: PeriodBudgetUse, amount: number): string {
  if (measure === 'cost') return `${(amount / MILLION).toFixed(2)} ${currency ?? ''}`.trimEnd();
  return `${amount} ${measure === 'calls' ? 'calls' : 'model tokens'}`;
}

function subjectOf({ subject_kind, subject }: PeriodBudgetUse): string {
  return subject_kind === 'tenant' ? 'the whole tenant' : `${NOUNS[subject_kind]} \`${subject}\``;
}

/** When it resets, as people read it. */
export const resetOf = ({ resets_at }: PeriodBudgetUse): string => new Date(resets_at).toISOString();
