// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { ApprovalBrief, ApprovalGroups } from '@writ/contract';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { APPROVAL_QUEUE, orderOf, selectionOf } from './queue-routes.ts';

@Controller()
export class ApprovalQueueController {
  constructor(private readonly kernel: KernelClient) {}

  @Route(APPROVAL_QUEUE.list)
  async list(
    @RequestInput() { caller, query }: RequestInputOf<typeof APPROVAL_QUEUE.list>,
  ): Promise<{ items: ApprovalBrief[]; next_cursor: string | null }> {
    const selected = { ...selectionOf(query), ...orderOf(query) };
    return await this.kernel.ask('approval.brief', caller, {
      page: pageOf(query),
      state: query.state ?? null,
      ...selected,
    });
  }

  @Route(APPROVAL_QUEUE.groups)
  async groups(
    @RequestInput() { caller, query }: RequestInputOf<typeof APPROVAL_QUEUE.groups>,
  ): Promise<ApprovalGroups> {
    const order = query.order ?? 'count';
    return await this.kernel.ask('approval.groups', caller, { order, ...selectionOf(query) });
  }
}
