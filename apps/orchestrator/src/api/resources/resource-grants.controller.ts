// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { ResourceGrantView } from '@writ/contract';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { RESOURCE_GRANTS } from './routes.ts';

@Controller()
export class ResourceGrantsController {
  constructor(private readonly kernel: KernelClient) {}

  @Route(RESOURCE_GRANTS.list)
  list(
    @RequestInput() { caller, query }: RequestInputOf<typeof RESOURCE_GRANTS.list>,
  ): Promise<{ items: ResourceGrantView[]; next_cursor: string | null }> {
    const { kind = null, resource_id = null, agent_id = null } = query;
    return this.kernel.ask('resource_grant.list', caller, { page: pageOf(query), kind, resource_id, agent_id });
  }

  @Route(RESOURCE_GRANTS.set)
  set(@RequestInput() { caller, body: grant }: RequestInputOf<typeof RESOURCE_GRANTS.set>): Promise<ResourceGrantView> {
    return this.kernel.ask('resource_grant.set', caller, { grant });
  }

  @Route(RESOURCE_GRANTS.remove)
  remove(
    @RequestInput() { caller, params }: RequestInputOf<typeof RESOURCE_GRANTS.remove>,
  ): Promise<ResourceGrantView> {
    return this.kernel.ask('resource_grant.remove', caller, params);
  }
}
