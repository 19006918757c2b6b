// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { ResourceView } from '@writ/contract';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { conditionMembers } from '../../edge/requests/conditions.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { RESOURCES } from './routes.ts';

@Controller()
export class ResourcesController {
  constructor(private readonly kernel: KernelClient) {}

  @Route(RESOURCES.list)
  list(
    @RequestInput() { caller, query }: RequestInputOf<typeof RESOURCES.list>,
  ): Promise<{ items: ResourceView[]; next_cursor: string | null }> {
    const { kind = null, name = null, agent_id = null } = query;
    return this.kernel.ask('resource.list', caller, { page: pageOf(query), kind, name, agent_id });
  }

  @Route(RESOURCES.create)
  create(@RequestInput() { caller, body }: RequestInputOf<typeof RESOURCES.create>): Promise<ResourceView> {
    return this.kernel.ask('resource.create', caller, body);
  }

  @Route(RESOURCES.read)
  read(@RequestInput() { caller, params }: RequestInputOf<typeof RESOURCES.read>): Promise<ResourceView> {
    return this.kernel.ask('resource.read', caller, params);
  }

  @Route(RESOURCES.update)
  update(@RequestInput() request: RequestInputOf<typeof RESOURCES.update>): Promise<ResourceView> {
    const { caller, params, body } = request;
    return this.kernel.ask('resource.update', caller, { ...params, ...body, ...conditionMembers(request) });
  }

  @Route(RESOURCES.remove)
  remove(@RequestInput() request: RequestInputOf<typeof RESOURCES.remove>): Promise<ResourceView> {
    return this.kernel.ask('resource.remove', request.caller, { ...request.params, ...conditionMembers(request) });
  }
}
