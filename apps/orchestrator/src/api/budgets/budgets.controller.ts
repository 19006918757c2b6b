// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { BudgetView } from '@writ/contract';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { BUDGETS } from './routes.ts';

@Controller()
export class BudgetsController {
  constructor(private readonly kernel: KernelClient) {}

  @Route(BUDGETS.list)
  list(
    @RequestInput() { caller, query }: RequestInputOf<typeof BUDGETS.list>,
  ): Promise<{ items: BudgetView[]; next_cursor: string | null }> {
    return this.kernel.ask('budget.list', caller, { page: pageOf(query) });
  }

  @Route(BUDGETS.set)
  set(@RequestInput() { caller, body }: RequestInputOf<typeof BUDGETS.set>): Promise<BudgetView> {
    return this.kernel.ask('budget.set', caller, { budget: body });
  }

  @Route(BUDGETS.read)
  read(@RequestInput() { caller, params }: RequestInputOf<typeof BUDGETS.read>): Promise<BudgetView> {
    return this.kernel.ask('budget.read', caller, params);
  }

  @Route(BUDGETS.remove)
  remove(@RequestInput() { caller, params }: RequestInputOf<typeof BUDGETS.remove>): Promise<BudgetView> {
    return this.kernel.ask('budget.delete', caller, params);
  }
}
