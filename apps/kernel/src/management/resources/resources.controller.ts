// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type ResourceView } from '@writ/contract';
import type { Listed } from '@writ/paging';
import { Resources } from './resources.ts';

@Controller()
export class ResourcesController {
  readonly #resources: Resources;

  constructor(resources: Resources) {
    this.#resources = resources;
  }

  @MessagePattern('kernel.resource.set')
  async set(@Payload() payload: unknown): Promise<ResourceView> {
    return await this.#resources.set(parseMessage(KERNEL_REQUESTS['resource.set'], payload));
  }

  @MessagePattern('kernel.resource.list')
  async list(@Payload() payload: unknown): Promise<Listed<ResourceView>> {
    return await this.#resources.list(parseMessage(KERNEL_REQUESTS['resource.list'], payload));
  }
}
