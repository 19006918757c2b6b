// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import {
  parseMessage,
  ShellAttachRequest,
  ShellEndRequest,
  ShellRenewRequest,
  type ShellAttachReply,
  type ShellRenewReply,
} from '@writ/contract';
import { ShellRegistry } from './shell-registry.ts';

@Controller()
export class ShellsController {
  readonly #book: ShellRegistry;

  constructor(book: ShellRegistry) {
    this.#book = book;
  }

  @MessagePattern('kernel.shell.attach')
  async attach(@Payload() payload: unknown): Promise<ShellAttachReply> {
    return await this.#book.attach(parseMessage(ShellAttachRequest, payload));
  }

  @MessagePattern('kernel.shell.renew')
  async renew(@Payload() payload: unknown): Promise<ShellRenewReply> {
    return { v: 1, alive: await this.#book.renew(parseMessage(ShellRenewRequest, payload)) };
  }

  @MessagePattern('kernel.shell.end')
  async end(@Payload() payload: unknown): Promise<ShellRenewReply> {
    await this.#book.end(parseMessage(ShellEndRequest, payload));
    return { v: 1, alive: false };
  }
}
