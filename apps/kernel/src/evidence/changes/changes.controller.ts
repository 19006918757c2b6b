// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage } from '@writ/contract';
import { RecordChange } from './record-change.ts';

@Controller()
export class ChangesController {
  readonly #record: RecordChange;

  constructor(record: RecordChange) {
    this.#record = record;
  }

  @MessagePattern('kernel.change.record')
  async record(@Payload() payload: unknown): Promise<{ recorded: string }> {
    return await this.#record.run(parseMessage(KERNEL_REQUESTS['change.record'], payload));
  }
}
