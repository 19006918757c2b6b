// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { parseMessage, ReceiptRequest, type Receipt } from '@writ/contract';
import { Receipts } from './receipts.ts';

@Controller()
export class ReceiptController {
  constructor(private readonly receipts: Receipts) {}

  @MessagePattern('ledger.receipt')
  run(@Payload() message: unknown): Promise<Receipt> {
    return this.receipts.of(parseMessage(ReceiptRequest, message));
  }
}
