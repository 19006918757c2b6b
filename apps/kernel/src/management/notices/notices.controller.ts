// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { NoticeDrop, NoticeTake, parseMessage, type NoticesTaken } from '@writ/contract';
import { Notices } from './notices.ts';

@Controller()
export class NoticesController {
  readonly #notices: Notices;

  constructor(notices: Notices) {
    this.#notices = notices;
  }

  @MessagePattern('kernel.notice.take')
  async take(@Payload() payload: unknown): Promise<NoticesTaken> {
    return await this.#notices.take(parseMessage(NoticeTake, payload));
  }

  @MessagePattern('kernel.notice.drop')
  async drop(@Payload() payload: unknown): Promise<Record<string, never>> {
    return await this.#notices.drop(parseMessage(NoticeDrop, payload));
  }
}
