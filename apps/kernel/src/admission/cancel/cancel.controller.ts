// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type OperationView } from '@writ/contract';
import { Cancel } from './cancel.ts';

@Controller()
export class CancelController {
  readonly #cancel: Cancel;

  constructor(cancel: Cancel) {
    this.#cancel = cancel;
  }

  @MessagePattern('kernel.operation.cancel')
  async handle(@Payload() payload: unknown): Promise<OperationView> {
    return await this.#cancel.run(parseMessage(KERNEL_REQUESTS['operation.cancel'], payload));
  }
}
