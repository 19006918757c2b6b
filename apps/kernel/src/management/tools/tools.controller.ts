// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import {
  KERNEL_REQUESTS,
  parseMessage,
  type SearchProviderView,
  type TenantToolView,
  type ToolsApplied,
} from '@writ/contract';
import type { Listed } from '@writ/paging';
import { ApplyTools } from './apply-tools.ts';
import { ListTools } from './list-tools.ts';
import { SearchProviders } from './search-providers.ts';

@Controller()
export class ToolsController {
  readonly #apply: ApplyTools;
  readonly #list: ListTools;
  readonly #search: SearchProviders;

  constructor(apply: ApplyTools, list: ListTools, search: SearchProviders) {
    this.#apply = apply;
    this.#list = list;
    this.#search = search;
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
  async list(@Payload() payload: unknown): Promise<Listed<TenantToolView>> {
    return await this.#list.run(parseMessage(KERNEL_REQUESTS['tool.list'], payload));
  }

  @MessagePattern('kernel.search.read')
  async readSearch(@Payload() payload: unknown): Promise<SearchProviderView> {
    return await this.#search.read(parseMessage(KERNEL_REQUESTS['search.read'], payload));
  }

  @MessagePattern('kernel.search.set')
  async setSearch(@Payload() payload: unknown): Promise<SearchProviderView> {
    return await this.#search.set(parseMessage(KERNEL_REQUESTS['search.set'], payload));
  }

  @MessagePattern('kernel.search.remove')
  async removeSearch(@Payload() payload: unknown): Promise<SearchProviderView> {
    return await this.#search.remove(parseMessage(KERNEL_REQUESTS['search.remove'], payload));
  }
}
