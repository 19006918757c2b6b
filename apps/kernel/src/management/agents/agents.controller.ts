// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type AgentView } from '@writ/contract';
import type { ListPage } from '@writ/paging';
import { Agents } from './agents.ts';

@Controller()
export class AgentsController {
  readonly #agents: Agents;

  constructor(agents: Agents) {
    this.#agents = agents;
  }

  @MessagePattern('kernel.agent.create')
  async create(@Payload() payload: unknown): Promise<AgentView> {
    return await this.#agents.create(parseMessage(KERNEL_REQUESTS['agent.create'], payload));
  }

  @MessagePattern('kernel.agent.read')
  async read(@Payload() payload: unknown): Promise<AgentView> {
    return await this.#agents.read(parseMessage(KERNEL_REQUESTS['agent.read'], payload));
  }

  @MessagePattern('kernel.agent.list')
  async list(@Payload() payload: unknown): Promise<ListPage<AgentView>> {
    return await this.#agents.list(parseMessage(KERNEL_REQUESTS['agent.list'], payload));
  }
}
