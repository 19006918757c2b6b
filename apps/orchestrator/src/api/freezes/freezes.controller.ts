// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { FreezeView } from '@writ/contract';
import { Asked } from '../../edge/requests/asked.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type AskedOf } from '../../edge/requests/route.ts';
import { FREEZES } from './routes.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';

@Controller()
export class FreezesController {
  constructor(private readonly kernel: KernelClient) {}

  @Route(FREEZES.place)
  place(@Asked() { caller, body }: AskedOf<typeof FREEZES.place>): Promise<FreezeView> {
    return this.kernel.insist('freeze.place', caller, {
      scope: body.scope,
      id: body.id ?? null,
      reason: body.reason,
      expires_at: body.expires_at ?? null,
    });
  }

  @Route(FREEZES.list)
  list(
    @Asked() { caller, query }: AskedOf<typeof FREEZES.list>,
  ): Promise<{ items: FreezeView[]; next_cursor: string | null }> {
    return this.kernel.ask('freeze.list', caller, { page: pageOf(query), standing: query.standing ?? false });
  }

  @Route(FREEZES.read)
  read(@Asked() { caller, params }: AskedOf<typeof FREEZES.read>): Promise<FreezeView> {
    return this.kernel.ask('freeze.read', caller, params);
  }

  @Route(FREEZES.lift)
  lift(@Asked() { caller, params }: AskedOf<typeof FREEZES.lift>): Promise<FreezeView> {
    return this.kernel.insist('freeze.lift', caller, params);
  }
}
