// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { ContainerLogs, ContainerView } from '@writ/contract';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { CONTAINERS } from './routes.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';

@Controller()
export class ContainersController {
  constructor(private readonly kernel: KernelClient) {}

  @Route(CONTAINERS.list)
  list(
    @RequestInput() { caller, query }: RequestInputOf<typeof CONTAINERS.list>,
  ): Promise<{ items: ContainerView[]; next_cursor: string | null }> {
    return this.kernel.ask('container.list', caller, { page: pageOf(query) });
  }

  @Route(CONTAINERS.logs)
  logs(@RequestInput() { caller, params }: RequestInputOf<typeof CONTAINERS.logs>): Promise<ContainerLogs> {
    return this.kernel.ask('container.logs', caller, params);
  }

  @Route(CONTAINERS.kill)
  kill(@RequestInput() { caller, params }: RequestInputOf<typeof CONTAINERS.kill>): Promise<ContainerView> {
    return this.kernel.ask('container.kill', caller, params);
  }
}
