// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type ContainerLogs, type ContainerView } from '@writ/contract';
import type { Listed } from '@writ/paging';
import { KillContainer } from './kill-container.ts';
import { Peek } from './peek.ts';
import { Containers } from './containers.ts';

@Controller()
export class ContainersController {
  readonly #containers: Containers;
  readonly #peek: Peek;
  readonly #kill: KillContainer;

  constructor(containers: Containers, peek: Peek, kill: KillContainer) {
    this.#containers = containers;
    this.#peek = peek;
    this.#kill = kill;
  }

  @MessagePattern('kernel.container.list')
  async list(@Payload() payload: unknown): Promise<Listed<ContainerView>> {
    return await this.#containers.list(parseMessage(KERNEL_REQUESTS['container.list'], payload));
  }

  @MessagePattern('kernel.container.logs')
  async logs(@Payload() payload: unknown): Promise<ContainerLogs> {
    return await this.#peek.run(parseMessage(KERNEL_REQUESTS['container.logs'], payload));
  }

  @MessagePattern('kernel.container.kill')
  async kill(@Payload() payload: unknown): Promise<ContainerView> {
    return await this.#kill.run(parseMessage(KERNEL_REQUESTS['container.kill'], payload));
  }
}
