// SPDX-License-Identifier: Apache-2.0
import { resetOf, usedUpMessage } from '../../foundation/rows/period-budget-use.ts';
import { refusal, type CallFacts, type Refusal } from './call.ts';

/**
 * Why a budget of the day or month leaves no room for the call; null where all do. Of several the one that resets last
 * is named. It only explains: the statement that admits the call counts it in each budget, or admits nothing.
 */
export function decideBudgets({ budgets = [] }: Pick<CallFacts, 'budgets'>): Refusal | null {
  const usedUp = budgets.filter(({ used, bound }) => used >= bound);
  const [last] = usedUp.toSorted((a, b) => b.resets_at - a.resets_at);
  if (last === undefined) return null;
  return refusal(
    'budget.period',
    usedUpMessage(last),
    `propose the call anew after ${resetOf(last)}, when the budget resets, or ask an administrator for a higher one`,
  );
}
