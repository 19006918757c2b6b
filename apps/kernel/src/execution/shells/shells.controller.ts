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
  readonly #registry: ShellRegistry;

  constructor(registry: ShellRegistry) {
    this.#registry = registry;
  }

  @MessagePattern('kernel.shell.attach')
  async attach(@Payload() payload: unknown): Promise<ShellAttachReply> {
    return await this.#registry.attach(parseMessage(ShellAttachRequest, payload));
  }

  @MessagePattern('kernel.shell.renew')
  async renew(@Payload() payload: unknown): Promise<ShellRenewReply> {
    return { v: 1, alive: await this.#registry.renew(parseMessage(ShellRenewRequest, payload)) };
  }

  @MessagePattern('kernel.shell.end')
  async end(@Payload() payload: unknown): Promise<ShellRenewReply> {
    await this.#registry.end(parseMessage(ShellEndRequest, payload));
    return { v: 1, alive: false };
  }
}
