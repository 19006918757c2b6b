// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { AgentView } from '@writ/contract';
import { Asked } from '../../edge/requests/asked.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type AskedOf } from '../../edge/requests/route.ts';
import { AGENTS } from './routes.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';

@Controller()
export class AgentsController {
  constructor(private readonly kernel: KernelClient) {}

  @Route(AGENTS.list)
  list(
    @Asked() { caller, query }: AskedOf<typeof AGENTS.list>,
  ): Promise<{ items: AgentView[]; next_cursor: string | null }> {
    return this.kernel.ask('agent.list', caller, { page: pageOf(query) });
  }

  @Route(AGENTS.create)
  create(@Asked() { caller, body }: AskedOf<typeof AGENTS.create>): Promise<AgentView> {
    return this.kernel.ask('agent.create', caller, body);
  }

  @Route(AGENTS.read)
  read(@Asked() { caller, params }: AskedOf<typeof AGENTS.read>): Promise<AgentView> {
    return this.kernel.ask('agent.read', caller, params);
  }
}
