// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type CallUsage } from '@writ/contract';
import { ReadUsage } from './read-usage.ts';

@Controller()
export class UsageController {
  readonly #usage: ReadUsage;

  constructor(usage: ReadUsage) {
    this.#usage = usage;
  }

  @MessagePattern('kernel.usage.calls')
  async calls(@Payload() payload: unknown): Promise<CallUsage> {
    return await this.#usage.calls(parseMessage(KERNEL_REQUESTS['usage.calls'], payload));
  }
}
