// SPDX-License-Identifier: Apache-2.0
import { BudgetView, parseMessage } from '@writ/contract';
import type { period_budget } from '../../generated/prisma/client.ts';
import type { PlainRow } from '../../foundation/tenancy/index.ts';

export type BudgetRow = PlainRow<period_budget>;

/** When the period that holds the moment begins and ends, in UTC, as kernel.period_start and kernel.period_end say. */
export function periodOf(period: string, now: number): { readonly starts_at: number; readonly resets_at: number } {
  const at = new Date(now);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  return period === 'month'
    ? { starts_at: Date.UTC(year, month), resets_at: Date.UTC(year, month + 1) }
    : { starts_at: Date.UTC(year, month, day), resets_at: Date.UTC(year, month, day + 1) };
}

/** @param now milliseconds by the database's clock */
export function budgetView(row: BudgetRow, used: number, now: number): BudgetView {
  const { budget_id, subject_kind, subject, period, measure, currency, bound, ...changes } = row;
  const { created_at, created_by, changed_at, changed_by } = changes;
  return parseMessage(BudgetView, {
    budget_id,
    subject: { kind: subject_kind, id: subject_kind === 'tenant' ? null : subject },
    period,
    measure,
    currency,
    limit: bound,
    used,
    ...periodOf(period, now),
    created_at,
    created_by,
    changed_at,
    changed_by,
  });
}
