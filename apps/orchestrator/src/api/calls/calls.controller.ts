// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Fault, isFinal, type OperationView, type ToolResult } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { InExchange, waitOf, type Exchange } from '../../edge/requests/exchange.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { CALLS } from './routes.ts';
import { CallDefaults } from '../../calls/call-defaults.ts';
import { Propose } from '../../calls/propose.ts';
import { ShowOperation } from '../../calls/show-operation.ts';
import { outcomeOf, showOutcome } from '../../calls/outcome-headers.ts';
import { parseCall } from '../../calls/parse-call.ts';

@Controller()
export class CallsController {
  constructor(
    private readonly propose: Propose,
    private readonly show: ShowOperation,
    private readonly defaults: CallDefaults,
  ) {}

  @Route(CALLS.propose)
  async run(
    @RequestInput() { caller, body, query }: RequestInputOf<typeof CALLS.propose>,
    @InExchange() exchange: Exchange,
  ): Promise<ToolResult | OperationView> {
    const key = exchange.header('idempotency-key');
    const call = parseCall(await this.defaults.complete(caller, body, key), key, caller);
    // With a key the request may refer to an earlier call, which only the kernel knows.
    if (call.idempotency_key === null && call.deadline !== null && call.deadline <= Date.now())
      throw new Fault('deadline', "the call's `deadline` has passed already", { pointer: '/deadline' });
    const operationId = newId('operation');
    // Set for faults too, so that a client without an answer can look up the operation.
    exchange.setHeader('writ-operation-id', operationId);
    const waitOptions = { waitMs: waitOf(query.wait, exchange.header('prefer')), gone: exchange.gone };
    const view = await exchange.withinTrace(() => this.propose.run(caller, operationId, call, waitOptions));
    exchange.setHeader('writ-operation-id', view.operation_id);
    if (view.replayed) exchange.setHeader('idempotent-replayed', 'true');
    const shown = await this.show.view(caller, view);
    showOutcome(exchange, outcomeOf(shown));
    if (isFinal(shown.state) && shown.result !== null) return shown.result;
    exchange.setStatus(202);
    exchange.setHeader('location', `/v1/operations/${view.operation_id}`);
    return shown;
  }
}
