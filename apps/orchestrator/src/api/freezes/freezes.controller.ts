// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { FreezeView } from '@writ/contract';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { FREEZES } from './routes.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';

@Controller()
export class FreezesController {
  constructor(private readonly kernel: KernelClient) {}

  @Route(FREEZES.place)
  place(@RequestInput() { caller, body }: RequestInputOf<typeof FREEZES.place>): Promise<FreezeView> {
    return this.kernel.askUntilAnswered('freeze.place', caller, {
      scope: body.scope,
      id: body.id ?? null,
      reason: body.reason,
      expires_at: body.expires_at ?? null,
    });
  }

  @Route(FREEZES.list)
  list(
    @RequestInput() { caller, query }: RequestInputOf<typeof FREEZES.list>,
  ): Promise<{ items: FreezeView[]; next_cursor: string | null }> {
    return this.kernel.ask('freeze.list', caller, { page: pageOf(query), standing: query.standing ?? false });
  }

  @Route(FREEZES.read)
  read(@RequestInput() { caller, params }: RequestInputOf<typeof FREEZES.read>): Promise<FreezeView> {
    return this.kernel.ask('freeze.read', caller, params);
  }

  @Route(FREEZES.lift)
  lift(@RequestInput() { caller, params }: RequestInputOf<typeof FREEZES.lift>): Promise<FreezeView> {
    return this.kernel.askUntilAnswered('freeze.lift', caller, params);
  }
}
