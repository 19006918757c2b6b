// SPDX-License-Identifier: Apache-2.0
import { BudgetSetting, BudgetView } from '@writ/contract';
import { Type } from 'typebox';
import { closed, paging } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import { BudgetList } from './views.ts';

const shared = { tag: 'budgets' } as const;
const one = { ...shared, path: '/v1/budgets/{budget_id}', params: { budget_id: 'budget' } } as const;

export const BUDGETS = {
  list: route({
    ...shared,
    id: 'listBudgets',
    method: 'GET',
    path: '/v1/budgets',
    allowed: ['admin', 'operator', 'auditor'],
    summary: 'Lists the budgets per day and month, with their use and when they reset',
    query: Type.Object(paging, closed),
    answers: { 200: { description: 'A page of budgets', schema: BudgetList } },
  }),
  set: route({
    ...shared,
    id: 'setBudget',
    method: 'PUT',
    path: '/v1/budgets',
    allowed: ['admin'],
    summary: 'Makes a budget, or sets the limit of the one of the same subject, period, measure and currency',
    body: BudgetSetting,
    answers: {
      200: { description: 'The budget, which holds for every decision after the answer', schema: BudgetView },
    },
    faults: ['not_found', 'limit.exceeded'],
  }),
  read: route({
    ...one,
    id: 'readBudget',
    method: 'GET',
    allowed: ['admin', 'operator', 'auditor'],
    summary: 'Shows a budget, with its use and when it resets',
    answers: { 200: { description: 'The budget', schema: BudgetView } },
    faults: ['not_found'],
  }),
  remove: route({
    ...one,
    id: 'deleteBudget',
    method: 'DELETE',
    allowed: ['admin'],
    summary: 'Deletes a budget with the count of its use',
    answers: { 200: { description: 'The budget as it was', schema: BudgetView } },
    faults: ['not_found'],
  }),
};
