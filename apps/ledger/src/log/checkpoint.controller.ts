// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { CheckpointRequest, parseMessage } from '@writ/contract';
import { Receipts } from './receipts.ts';

@Controller()
export class CheckpointController {
  constructor(private readonly receipts: Receipts) {}

  @MessagePattern('ledger.checkpoint')
  async run(@Payload() message: unknown): Promise<{ checkpoint: string }> {
    return { checkpoint: await this.receipts.checkpoint(parseMessage(CheckpointRequest, message).tenant_id) };
  }
}
