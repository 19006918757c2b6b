// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { SandboxLogs, SandboxView } from '@writ/contract';
import { Asked } from '../http/asked.ts';
import { pageOf } from '../http/fields.ts';
import { Route, type AskedOf } from '../http/route.ts';
import { SANDBOXES } from '../http/routes/index.ts';
import { KernelClient } from '../support/kernel-client.ts';

@Controller()
export class SandboxesController {
  constructor(private readonly kernel: KernelClient) {}

  @Route(SANDBOXES.list)
  list(@Asked() { caller, query }: AskedOf<typeof SANDBOXES.list>): Promise<{ items: SandboxView[]; next_cursor: string | null }> {
    return this.kernel.ask('sandbox.list', caller, { page: pageOf(query) });
  }

  @Route(SANDBOXES.logs)
  logs(@Asked() { caller, params }: AskedOf<typeof SANDBOXES.logs>): Promise<SandboxLogs> {
    return this.kernel.ask('sandbox.logs', caller, params);
  }

  @Route(SANDBOXES.kill)
  kill(@Asked() { caller, params }: AskedOf<typeof SANDBOXES.kill>): Promise<SandboxView> {
    return this.kernel.ask('sandbox.kill', caller, params);
  }
}
