// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { EgressRequestPage, OperationExplanation, OperationView } from '@writ/contract';
import { Asked } from '../../edge/requests/asked.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type AskedOf } from '../../edge/requests/route.ts';
import { OPERATIONS } from './routes.ts';
import { Follow } from '../../calls/follow.ts';
import { ShowOperation } from '../../calls/show-operation.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';

@Controller()
export class OperationsController {
  constructor(
    private readonly kernel: KernelClient,
    private readonly follow: Follow,
    private readonly show: ShowOperation,
  ) {}

  @Route(OPERATIONS.list)
  async list(
    @Asked() { caller, query }: AskedOf<typeof OPERATIONS.list>,
  ): Promise<{ items: OperationView[]; next_cursor: string | null }> {
    const {
      state = null,
      tool_id = null,
      agent_id = null,
      workspace_id = null,
      session_id = null,
      unresolved = false,
    } = query;
    const { items, next_cursor } = await this.kernel.ask('operation.list', caller, {
      page: pageOf(query),
      state,
      tool_id,
      agent_id,
      workspace_id,
      session_id,
      unresolved,
    });
    // A list names results by reference: a page of long ones would be as long as all of them.
    return { items: items.map((item) => ShowOperation.linked(item)), next_cursor };
  }

  @Route(OPERATIONS.read)
  async read(
    @Asked() { caller, params, query }: AskedOf<typeof OPERATIONS.read>,
    @InExchange() { gone }: Exchange,
  ): Promise<OperationView> {
    const ear = this.follow.listen(params.operation_id);
    try {
      const seen = await this.kernel.ask('operation.read', caller, params);
      return await this.show.view(caller, await this.follow.untilSettled(caller, seen, ear, query.wait ?? 0, gone));
    } finally {
      ear.stop();
    }
  }

  @Route(OPERATIONS.requests)
  requests(@Asked() { caller, params, query }: AskedOf<typeof OPERATIONS.requests>): Promise<EgressRequestPage> {
    return this.kernel.ask('operation.requests', caller, { ...params, page: pageOf(query) });
  }

  @Route(OPERATIONS.explain)
  explain(@Asked() { caller, params }: AskedOf<typeof OPERATIONS.explain>): Promise<OperationExplanation> {
    return this.kernel.ask('operation.explain', caller, params);
  }

  @Route(OPERATIONS.cancel)
  async cancel(@Asked() { caller, params }: AskedOf<typeof OPERATIONS.cancel>): Promise<OperationView> {
    return await this.show.view(caller, await this.kernel.ask('operation.cancel', caller, params));
  }

  @Route(OPERATIONS.resolve)
  async resolve(@Asked() { caller, params, body }: AskedOf<typeof OPERATIONS.resolve>): Promise<OperationView> {
    return await this.show.view(caller, await this.kernel.ask('operation.resolve', caller, { ...params, ...body }));
  }
}
