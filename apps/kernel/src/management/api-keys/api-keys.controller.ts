// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type KeyRevoked } from '@writ/contract';
import { RevokeKey } from './revoke-key.ts';

@Controller()
export class ApiKeysController {
  readonly #revoke: RevokeKey;

  constructor(revoke: RevokeKey) {
    this.#revoke = revoke;
  }

  @MessagePattern('kernel.api_key.revoke')
  async revoke(@Payload() payload: unknown): Promise<KeyRevoked> {
    return await this.#revoke.run(parseMessage(KERNEL_REQUESTS['api_key.revoke'], payload));
  }
}
