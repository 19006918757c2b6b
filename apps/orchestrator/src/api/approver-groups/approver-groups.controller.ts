// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { ApproverGroupView } from '@writ/contract';
import { conditionMembers } from '../../edge/requests/conditions.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { APPROVER_GROUPS } from './routes.ts';

@Controller()
export class ApproverGroupsController {
  constructor(private readonly kernel: KernelClient) {}

  @Route(APPROVER_GROUPS.list)
  list(
    @RequestInput() { caller, query }: RequestInputOf<typeof APPROVER_GROUPS.list>,
  ): Promise<{ items: ApproverGroupView[]; next_cursor: string | null }> {
    return this.kernel.ask('approver_group.list', caller, { page: pageOf(query) });
  }

  @Route(APPROVER_GROUPS.read)
  read(@RequestInput() { caller, params }: RequestInputOf<typeof APPROVER_GROUPS.read>): Promise<ApproverGroupView> {
    return this.kernel.ask('approver_group.read', caller, { name: params.group });
  }

  @Route(APPROVER_GROUPS.put)
  put(@RequestInput() request: RequestInputOf<typeof APPROVER_GROUPS.put>): Promise<ApproverGroupView> {
    const { caller, body } = request;
    return this.kernel.ask('approver_group.put', caller, { description: null, ...body, ...conditionMembers(request) });
  }

  @Route(APPROVER_GROUPS.remove)
  remove(@RequestInput() request: RequestInputOf<typeof APPROVER_GROUPS.remove>): Promise<{ removed: string }> {
    const { caller, params } = request;
    return this.kernel.ask('approver_group.remove', caller, { name: params.group, ...conditionMembers(request) });
  }
}
