// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { DelegationView } from '@writ/contract';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { DELEGATIONS } from './routes.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { Delegate } from './delegate.ts';

@Controller()
export class DelegationsController {
  constructor(
    private readonly kernel: KernelClient,
    private readonly delegate: Delegate,
  ) {}

  @Route(DELEGATIONS.create)
  create(@RequestInput() { caller, body }: RequestInputOf<typeof DELEGATIONS.create>): Promise<DelegationView> {
    const { to, tools = null, agent_id = null, autonomy_mode = 'soft_gate', note, expires_at } = body;
    return this.delegate.run(caller, { to, scope: { tools, agent_id, autonomy_mode }, note, expires_at });
  }

  @Route(DELEGATIONS.list)
  list(
    @RequestInput() { caller, query }: RequestInputOf<typeof DELEGATIONS.list>,
  ): Promise<{ items: DelegationView[]; next_cursor: string | null }> {
    return this.kernel.ask('delegation.list', caller, { page: pageOf(query), standing: query.standing ?? false });
  }

  @Route(DELEGATIONS.revoke)
  revoke(@RequestInput() { caller, params }: RequestInputOf<typeof DELEGATIONS.revoke>): Promise<DelegationView> {
    return this.kernel.ask('delegation.revoke', caller, params);
  }
}
