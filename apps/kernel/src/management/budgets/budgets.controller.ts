// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type BudgetView } from '@writ/contract';
import type { ListPage } from '@writ/paging';
import { Budgets } from './budgets.ts';

@Controller()
export class BudgetsController {
  readonly #budgets: Budgets;

  constructor(budgets: Budgets) {
    this.#budgets = budgets;
  }

  @MessagePattern('kernel.budget.set')
  async set(@Payload() payload: unknown): Promise<BudgetView> {
    return await this.#budgets.set(parseMessage(KERNEL_REQUESTS['budget.set'], payload));
  }

  @MessagePattern('kernel.budget.read')
  async read(@Payload() payload: unknown): Promise<BudgetView> {
    return await this.#budgets.read(parseMessage(KERNEL_REQUESTS['budget.read'], payload));
  }

  @MessagePattern('kernel.budget.list')
  async list(@Payload() payload: unknown): Promise<ListPage<BudgetView>> {
    return await this.#budgets.list(parseMessage(KERNEL_REQUESTS['budget.list'], payload));
  }

  @MessagePattern('kernel.budget.delete')
  async delete(@Payload() payload: unknown): Promise<BudgetView> {
    return await this.#budgets.delete(parseMessage(KERNEL_REQUESTS['budget.delete'], payload));
  }
}
