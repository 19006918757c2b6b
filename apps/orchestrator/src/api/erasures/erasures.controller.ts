// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { ErasurePlan, ErasureView, RetentionView } from '@writ/contract';
import { conditionMembers } from '../../edge/requests/conditions.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { ERASURES } from './routes.ts';
import { BeginErasure } from '../../runs/conversations/begin-erasure.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';

@Controller()
export class ErasuresController {
  constructor(
    private readonly kernel: KernelClient,
    private readonly beginErasure: BeginErasure,
  ) {}

  @Route(ERASURES.begin)
  async begin(
    @RequestInput() { caller, body }: RequestInputOf<typeof ERASURES.begin>,
    @InExchange() exchange: Exchange,
  ): Promise<ErasureView | ErasurePlan> {
    if (body.dry_run === true) return await this.beginErasure.plan(caller, body);
    const erasure = await this.beginErasure.run(caller, body);
    if (erasure.state === 'running') exchange.setStatus(202);
    exchange.setHeader('location', `/v1/erasures/${erasure.erasure_id}`);
    return erasure;
  }

  @Route(ERASURES.list)
  list(
    @RequestInput() { caller, query }: RequestInputOf<typeof ERASURES.list>,
  ): Promise<{ items: ErasureView[]; next_cursor: string | null }> {
    return this.kernel.ask('erasure.list', caller, { page: pageOf(query) });
  }

  @Route(ERASURES.read)
  read(@RequestInput() { caller, params }: RequestInputOf<typeof ERASURES.read>): Promise<ErasureView> {
    return this.kernel.ask('erasure.read', caller, params);
  }

  @Route(ERASURES.readRetention)
  readRetention(@RequestInput() { caller }: RequestInputOf<typeof ERASURES.readRetention>): Promise<RetentionView> {
    return this.kernel.ask('retention.read', caller, {});
  }

  @Route(ERASURES.setRetention)
  setRetention(@RequestInput() request: RequestInputOf<typeof ERASURES.setRetention>): Promise<RetentionView> {
    return this.kernel.ask('retention.set', request.caller, { ...request.body, ...conditionMembers(request) });
  }
}
