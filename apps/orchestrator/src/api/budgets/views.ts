// SPDX-License-Identifier: Apache-2.0
import { BudgetView } from '@writ/contract';
import { listOf } from '../../edge/requests/fields.ts';

export const BudgetList = listOf(BudgetView);
