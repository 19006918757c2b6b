// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type TenantToolView, type ToolsApplied } from '@writ/contract';
import type { ListPage } from '@writ/paging';
import { ApplyTools } from './apply-tools.ts';
import { ListTools } from './list-tools.ts';

@Controller()
export class ToolsController {
  readonly #apply: ApplyTools;
  readonly #list: ListTools;

  constructor(apply: ApplyTools, list: ListTools) {
    this.#apply = apply;
    this.#list = list;
  }

  @MessagePattern('kernel.tool.apply')
  async apply(@Payload() payload: unknown): Promise<ToolsApplied> {
    return await this.#apply.run(parseMessage(KERNEL_REQUESTS['tool.apply'], payload));
  }

  @MessagePattern('kernel.tool.remove')
  async remove(@Payload() payload: unknown): Promise<{ removed: string }> {
    return await this.#apply.remove(parseMessage(KERNEL_REQUESTS['tool.remove'], payload));
  }

  @MessagePattern('kernel.tool.list')
  async list(@Payload() payload: unknown): Promise<ListPage<TenantToolView>> {
    return await this.#list.run(parseMessage(KERNEL_REQUESTS['tool.list'], payload));
  }
}
