// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { AgentView } from '@writ/contract';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { AGENTS } from './routes.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';

@Controller()
export class AgentsController {
  constructor(private readonly kernel: KernelClient) {}

  @Route(AGENTS.list)
  list(
    @RequestInput() { caller, query }: RequestInputOf<typeof AGENTS.list>,
  ): Promise<{ items: AgentView[]; next_cursor: string | null }> {
    return this.kernel.ask('agent.list', caller, { page: pageOf(query) });
  }

  @Route(AGENTS.create)
  create(@RequestInput() { caller, body }: RequestInputOf<typeof AGENTS.create>): Promise<AgentView> {
    return this.kernel.ask('agent.create', caller, body);
  }

  @Route(AGENTS.read)
  read(@RequestInput() { caller, params }: RequestInputOf<typeof AGENTS.read>): Promise<AgentView> {
    return this.kernel.ask('agent.read', caller, params);
  }
}
