// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type ApproverGroupView } from '@writ/contract';
import type { ListPage } from '@writ/paging';
import { ApproverGroups } from './approver-groups.ts';

@Controller()
export class ApproverGroupsController {
  readonly #groups: ApproverGroups;

  constructor(groups: ApproverGroups) {
    this.#groups = groups;
  }

  @MessagePattern('kernel.approver_group.put')
  async put(@Payload() payload: unknown): Promise<ApproverGroupView> {
    return await this.#groups.put(parseMessage(KERNEL_REQUESTS['approver_group.put'], payload));
  }

  @MessagePattern('kernel.approver_group.list')
  async list(@Payload() payload: unknown): Promise<ListPage<ApproverGroupView>> {
    return await this.#groups.list(parseMessage(KERNEL_REQUESTS['approver_group.list'], payload));
  }

  @MessagePattern('kernel.approver_group.read')
  async read(@Payload() payload: unknown): Promise<ApproverGroupView> {
    return await this.#groups.read(parseMessage(KERNEL_REQUESTS['approver_group.read'], payload));
  }

  @MessagePattern('kernel.approver_group.remove')
  async remove(@Payload() payload: unknown): Promise<{ removed: string }> {
    return await this.#groups.remove(parseMessage(KERNEL_REQUESTS['approver_group.remove'], payload));
  }
}
