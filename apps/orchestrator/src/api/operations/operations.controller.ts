// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { EgressRequestPage, OperationExplanation, OperationView } from '@writ/contract';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { OPERATIONS } from './routes.ts';
import { outcomeOf, showOutcome } from '../../calls/outcome-headers.ts';
import { Follow } from '../../calls/follow.ts';
import { OtherNames } from '../../calls/other-names.ts';
import { ShowOperation } from '../../calls/show-operation.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';

@Controller()
export class OperationsController {
  constructor(
    private readonly kernel: KernelClient,
    private readonly follow: Follow,
    private readonly show: ShowOperation,
    private readonly names: OtherNames,
  ) {}

  @Route(OPERATIONS.list)
  async list(
    @RequestInput() { caller, query }: RequestInputOf<typeof OPERATIONS.list>,
  ): Promise<{ items: OperationView[]; next_cursor: string | null }> {
    const {
      state = null,
      tool_id = null,
      agent_id = null,
      workspace_id = null,
      session_id = null,
      scheduling_class,
      unresolved = false,
    } = query;
    const { items, next_cursor } = await this.kernel.ask('operation.list', caller, {
      page: pageOf(query),
      state,
      tool_id,
      agent_id,
      workspace_id,
      session_id,
      ...(scheduling_class === undefined ? {} : { scheduling_class }),
      unresolved,
    });
    // A list has results by reference, because a page with long results would be too large.
    return { items: items.map((item) => ShowOperation.withLinks(item)), next_cursor };
  }

  @Route(OPERATIONS.read)
  async read(
    @RequestInput() { caller, params, query }: RequestInputOf<typeof OPERATIONS.read>,
    @InExchange() exchange: Exchange,
  ): Promise<OperationView> {
    const subscription = this.follow.subscribe(params.operation_id);
    try {
      const seen = await this.kernel.ask('operation.read', caller, params);
      const settled = await this.follow.untilSettled(caller, seen, subscription, query.wait ?? 0, exchange.gone);
      return shownIn(exchange, await this.show.view(caller, settled));
    } finally {
      subscription.stop();
    }
  }

  @Route(OPERATIONS.requests)
  requests(
    @RequestInput() { caller, params, query }: RequestInputOf<typeof OPERATIONS.requests>,
  ): Promise<EgressRequestPage> {
    return this.kernel.ask('operation.requests', caller, { ...params, page: pageOf(query) });
  }

  @Route(OPERATIONS.explain)
  explain(
    @RequestInput() { caller, params }: RequestInputOf<typeof OPERATIONS.explain>,
  ): Promise<OperationExplanation> {
    return this.kernel.ask('operation.explain', caller, params);
  }

  @Route(OPERATIONS.cancel)
  async cancel(
    @RequestInput() { caller, params }: RequestInputOf<typeof OPERATIONS.cancel>,
    @InExchange() exchange: Exchange,
  ): Promise<OperationView> {
    const cancelled = await this.kernel.ask('operation.cancel', caller, params);
    return shownIn(exchange, await this.show.view(caller, cancelled));
  }

  @Route(OPERATIONS.resolve)
  async resolve(
    @RequestInput() { caller, params, body }: RequestInputOf<typeof OPERATIONS.resolve>,
    @InExchange() exchange: Exchange,
  ): Promise<OperationView> {
    const asked = { ...params, ...body, ...(await this.names.of(caller)) };
    const resolved = await this.kernel.ask('operation.resolve', caller, asked);
    return shownIn(exchange, await this.show.view(caller, resolved));
  }
}

function shownIn(exchange: Exchange, view: OperationView): OperationView {
  showOutcome(exchange, outcomeOf(view));
  return view;
}
