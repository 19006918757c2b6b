// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type SecretView } from '@writ/contract';
import type { ListPage } from '@writ/paging';
import { Secrets } from './secrets.ts';

@Controller()
export class SecretsController {
  readonly #secrets: Secrets;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  @MessagePattern('kernel.secret.set')
  async set(@Payload() payload: unknown): Promise<SecretView> {
    return await this.#secrets.set(parseMessage(KERNEL_REQUESTS['secret.set'], payload));
  }

  @MessagePattern('kernel.secret.list')
  async list(@Payload() payload: unknown): Promise<ListPage<SecretView>> {
    return await this.#secrets.list(parseMessage(KERNEL_REQUESTS['secret.list'], payload));
  }

  @MessagePattern('kernel.secret.read')
  async read(@Payload() payload: unknown): Promise<SecretView> {
    return await this.#secrets.read(parseMessage(KERNEL_REQUESTS['secret.read'], payload));
  }

  @MessagePattern('kernel.secret.remove')
  async remove(@Payload() payload: unknown): Promise<SecretView> {
    return await this.#secrets.remove(parseMessage(KERNEL_REQUESTS['secret.remove'], payload));
  }
}
