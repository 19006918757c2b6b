// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type ContainerLogs, type ContainerView } from '@writ/contract';
import type { ListPage } from '@writ/paging';
import { KillContainer } from './kill-container.ts';
import { ReadContainerLogs } from './read-container-logs.ts';
import { Containers } from './containers.ts';

@Controller()
export class ContainersController {
  readonly #containers: Containers;
  readonly #readLogs: ReadContainerLogs;
  readonly #kill: KillContainer;

  constructor(containers: Containers, readLogs: ReadContainerLogs, kill: KillContainer) {
    this.#containers = containers;
    this.#readLogs = readLogs;
    this.#kill = kill;
  }

  @MessagePattern('kernel.container.list')
  async list(@Payload() payload: unknown): Promise<ListPage<ContainerView>> {
    return await this.#containers.list(parseMessage(KERNEL_REQUESTS['container.list'], payload));
  }

  @MessagePattern('kernel.container.logs')
  async logs(@Payload() payload: unknown): Promise<ContainerLogs> {
    return await this.#readLogs.run(parseMessage(KERNEL_REQUESTS['container.logs'], payload));
  }

  @MessagePattern('kernel.container.kill')
  async kill(@Payload() payload: unknown): Promise<ContainerView> {
    return await this.#kill.run(parseMessage(KERNEL_REQUESTS['container.kill'], payload));
  }
}
