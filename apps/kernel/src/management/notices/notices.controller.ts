// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { NoticeDrop, NoticesRequest, parseMessage, type NoticesReply } from '@writ/contract';
import { Notices } from './notices.ts';

@Controller()
export class NoticesController {
  readonly #notices: Notices;

  constructor(notices: Notices) {
    this.#notices = notices;
  }

  @MessagePattern('kernel.notice.take')
  async claim(@Payload() payload: unknown): Promise<NoticesReply> {
    return await this.#notices.claim(parseMessage(NoticesRequest, payload));
  }

  @MessagePattern('kernel.notice.drop')
  async drop(@Payload() payload: unknown): Promise<Record<string, never>> {
    return await this.#notices.drop(parseMessage(NoticeDrop, payload));
  }
}
