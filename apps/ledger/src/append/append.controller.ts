// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { AppendRequest, parseMessage, type AppendReply } from '@writ/contract';
import { Append, REQUESTS_MAX } from './append.ts';

@Controller()
export class AppendController {
  constructor(private readonly append: Append) {}

  @MessagePattern('ledger.append', { concurrencyMax: REQUESTS_MAX })
  run(@Payload() message: unknown): Promise<AppendReply> {
    return this.append.run(parseMessage(AppendRequest, message));
  }
}
