// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { ResourceView } from '@writ/contract';
import { Asked } from '../http/asked.ts';
import { pageOf } from '../http/fields.ts';
import { Route, type AskedOf } from '../http/route.ts';
import { RESOURCES } from '../http/routes/index.ts';
import { KernelClient } from '../support/kernel-client.ts';

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
