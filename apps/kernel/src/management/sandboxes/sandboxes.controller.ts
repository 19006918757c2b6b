// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import {
  KERNEL_REQUESTS,
  parseMessage,
  type RegistrarKeyView,
  type SandboxPutReply,
  type SandboxView,
  type SandboxDetails,
} from '@writ/contract';
import type { ListPage } from '@writ/paging';
import { ListSandboxes } from './list-sandboxes.ts';
import { RegisterSandbox } from './register-sandbox.ts';
import { Registrars } from './registrars.ts';

@Controller()
export class SandboxesController {
  readonly #register: RegisterSandbox;
  readonly #list: ListSandboxes;
  readonly #registrars: Registrars;

  constructor(register: RegisterSandbox, list: ListSandboxes, registrars: Registrars) {
    this.#register = register;
    this.#list = list;
    this.#registrars = registrars;
  }

  @MessagePattern('kernel.sandbox.put')
  async put(@Payload() payload: unknown): Promise<SandboxPutReply> {
    return await this.#register.put(parseMessage(KERNEL_REQUESTS['sandbox.put'], payload));
  }

  @MessagePattern('kernel.sandbox.sign')
  async sign(@Payload() payload: unknown): Promise<SandboxDetails> {
    return await this.#register.sign(parseMessage(KERNEL_REQUESTS['sandbox.sign'], payload));
  }

  @MessagePattern('kernel.sandbox.list')
  async list(@Payload() payload: unknown): Promise<ListPage<SandboxView>> {
    return await this.#list.list(parseMessage(KERNEL_REQUESTS['sandbox.list'], payload));
  }

  @MessagePattern('kernel.sandbox.read')
  async read(@Payload() payload: unknown): Promise<SandboxDetails> {
    return await this.#list.read(parseMessage(KERNEL_REQUESTS['sandbox.read'], payload));
  }

  @MessagePattern('kernel.sandbox.remove')
  async remove(@Payload() payload: unknown): Promise<{ removed: string }> {
    return await this.#register.remove(parseMessage(KERNEL_REQUESTS['sandbox.remove'], payload));
  }

  @MessagePattern('kernel.registrar.add')
  async add(@Payload() payload: unknown): Promise<RegistrarKeyView> {
    return await this.#registrars.add(parseMessage(KERNEL_REQUESTS['registrar.add'], payload));
  }

  @MessagePattern('kernel.registrar.list')
  async registrars(@Payload() payload: unknown): Promise<ListPage<RegistrarKeyView>> {
    return await this.#registrars.list(parseMessage(KERNEL_REQUESTS['registrar.list'], payload));
  }

  @MessagePattern('kernel.registrar.end')
  async end(@Payload() payload: unknown): Promise<RegistrarKeyView> {
    return await this.#registrars.end(parseMessage(KERNEL_REQUESTS['registrar.end'], payload));
  }
}
