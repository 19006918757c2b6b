// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { ResourceGrantView } from '@writ/contract';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { conditionMembers } from '../../edge/requests/conditions.ts';
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
  set(@RequestInput() request: RequestInputOf<typeof RESOURCE_GRANTS.set>): Promise<ResourceGrantView> {
    const { caller, body: grant } = request;
    return this.kernel.ask('resource_grant.set', caller, { grant, ...conditionMembers(request) });
  }

  @Route(RESOURCE_GRANTS.read)
  read(@RequestInput() { caller, params }: RequestInputOf<typeof RESOURCE_GRANTS.read>): Promise<ResourceGrantView> {
    return this.kernel.ask('resource_grant.read', caller, params);
  }

  @Route(RESOURCE_GRANTS.remove)
  remove(@RequestInput() request: RequestInputOf<typeof RESOURCE_GRANTS.remove>): Promise<ResourceGrantView> {
    const { caller, params } = request;
    return this.kernel.ask('resource_grant.remove', caller, { ...params, ...conditionMembers(request) });
  }
}
