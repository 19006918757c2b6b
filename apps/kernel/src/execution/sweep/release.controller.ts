// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { parseMessage, ReleaseRequest, type ReleaseReply } from '@writ/contract';
import { Release } from './release.ts';

@Controller()
export class ReleaseController {
  readonly #release: Release;

  constructor(release: Release) {
    this.#release = release;
  }

  @MessagePattern('kernel.release')
  async handle(@Payload() payload: unknown): Promise<ReleaseReply> {
    await this.#release.run(parseMessage(ReleaseRequest, payload));
    return { v: 1 };
  }
}
