// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type SandboxLogs, type SandboxView } from '@writ/contract';
import type { Listed } from '../store/index.ts';
import { KillSandbox } from './kill-sandbox.ts';
import { Peek } from './peek.ts';
import { Sandboxes } from './sandboxes.ts';

@Controller()
export class SandboxesController {
  readonly #sandboxes: Sandboxes;
  readonly #peek: Peek;
  readonly #kill: KillSandbox;

  constructor(sandboxes: Sandboxes, peek: Peek, kill: KillSandbox) {
    this.#sandboxes = sandboxes;
    this.#peek = peek;
    this.#kill = kill;
  }

  @MessagePattern('kernel.sandbox.list')
  async list(@Payload() payload: unknown): Promise<Listed<SandboxView>> {
    return await this.#sandboxes.list(parseMessage(KERNEL_REQUESTS['sandbox.list'], payload));
  }

  @MessagePattern('kernel.sandbox.logs')
  async logs(@Payload() payload: unknown): Promise<SandboxLogs> {
    return await this.#peek.run(parseMessage(KERNEL_REQUESTS['sandbox.logs'], payload));
  }

  @MessagePattern('kernel.sandbox.kill')
  async kill(@Payload() payload: unknown): Promise<SandboxView> {
    return await this.#kill.run(parseMessage(KERNEL_REQUESTS['sandbox.kill'], payload));
  }
}
