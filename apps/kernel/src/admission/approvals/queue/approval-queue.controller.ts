// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type ApprovalBrief, type ApprovalGroups } from '@writ/contract';
import { ApprovalQueue } from './approval-queue.ts';

@Controller()
export class ApprovalQueueController {
  readonly #queue: ApprovalQueue;

  constructor(queue: ApprovalQueue) {
    this.#queue = queue;
  }

  @MessagePattern('kernel.approval.brief')
  async list(@Payload() payload: unknown): Promise<{ items: ApprovalBrief[]; next_cursor: string | null }> {
    return await this.#queue.list(parseMessage(KERNEL_REQUESTS['approval.brief'], payload));
  }

  @MessagePattern('kernel.approval.groups')
  async groups(@Payload() payload: unknown): Promise<ApprovalGroups> {
    return await this.#queue.groups(parseMessage(KERNEL_REQUESTS['approval.groups'], payload));
  }
}
