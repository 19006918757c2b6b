// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type BundleSealed } from '@writ/contract';
import { SealBundle } from './seal-bundle.ts';

@Controller()
export class BundlesController {
  readonly #seal: SealBundle;

  constructor(seal: SealBundle) {
    this.#seal = seal;
  }

  @MessagePattern('kernel.bundle.seal')
  async seal(@Payload() payload: unknown): Promise<BundleSealed> {
    return await this.#seal.run(parseMessage(KERNEL_REQUESTS['bundle.seal'], payload));
  }
}
