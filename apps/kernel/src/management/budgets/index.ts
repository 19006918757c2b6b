// SPDX-License-Identifier: Apache-2.0
export { Budgets } from './budgets.ts';
export { BudgetsController } from './budgets.controller.ts';
