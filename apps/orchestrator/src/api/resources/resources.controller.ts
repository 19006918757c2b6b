// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { ResourceView } from '@writ/contract';
import { Asked } from '../../edge/requests/asked.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type AskedOf } from '../../edge/requests/route.ts';
import { RESOURCES } from './routes.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';

@Controller()
export class ResourcesController {
  constructor(private readonly kernel: KernelClient) {}

  @Route(RESOURCES.list)
  list(
    @Asked() { caller, query }: AskedOf<typeof RESOURCES.list>,
  ): Promise<{ items: ResourceView[]; next_cursor: string | null }> {
    return this.kernel.ask('resource.list', caller, { page: pageOf(query), ref: query.ref ?? null });
  }

  @Route(RESOURCES.set)
  set(@Asked() { caller, body }: AskedOf<typeof RESOURCES.set>): Promise<ResourceView> {
    return this.kernel.ask('resource.set', caller, body);
  }
}
