// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type OperationView } from '@writ/contract';
import { Resolve } from './resolve.ts';

@Controller()
export class ResolveController {
  readonly #resolve: Resolve;

  constructor(resolve: Resolve) {
    this.#resolve = resolve;
  }

  @MessagePattern('kernel.operation.resolve')
  async handle(@Payload() payload: unknown): Promise<OperationView> {
    return await this.#resolve.run(parseMessage(KERNEL_REQUESTS['operation.resolve'], payload));
  }
}
