// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type ExternalVersionView } from '@writ/contract';
import type { ListPage } from '@writ/paging';
import { ExternalVersions } from './external-versions.ts';

@Controller()
export class ExternalVersionsController {
  readonly #externalVersions: ExternalVersions;

  constructor(externalVersions: ExternalVersions) {
    this.#externalVersions = externalVersions;
  }

  @MessagePattern('kernel.external_version.set')
  async set(@Payload() payload: unknown): Promise<ExternalVersionView> {
    return await this.#externalVersions.set(parseMessage(KERNEL_REQUESTS['external_version.set'], payload));
  }

  @MessagePattern('kernel.external_version.list')
  async list(@Payload() payload: unknown): Promise<ListPage<ExternalVersionView>> {
    return await this.#externalVersions.list(parseMessage(KERNEL_REQUESTS['external_version.list'], payload));
  }
}
