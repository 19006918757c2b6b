// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { FunctionRedemption, FunctionRenewal, FunctionReported, TakenPermit } from '@writ/contract';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { FUNCTIONS } from './routes.ts';
import { WaitForPermit } from './wait-for-permit.ts';

@Controller()
export class FunctionsController {
  constructor(
    private readonly kernel: KernelClient,
    private readonly permits: WaitForPermit,
  ) {}

  @Route(FUNCTIONS.take)
  take(
    @RequestInput() { caller, query }: RequestInputOf<typeof FUNCTIONS.take>,
    @InExchange() { gone }: Exchange,
  ): Promise<TakenPermit> {
    return this.permits.take(caller, query.wait ?? 0, gone);
  }

  @Route(FUNCTIONS.redeem)
  redeem(@RequestInput() { caller, body }: RequestInputOf<typeof FUNCTIONS.redeem>): Promise<FunctionRedemption> {
    return this.kernel.ask('function.redeem', caller, body);
  }

  @Route(FUNCTIONS.renew)
  renew(@RequestInput() { caller, body }: RequestInputOf<typeof FUNCTIONS.renew>): Promise<FunctionRenewal> {
    return this.kernel.ask('function.renew', caller, body);
  }

  @Route(FUNCTIONS.report)
  report(@RequestInput() { caller, body }: RequestInputOf<typeof FUNCTIONS.report>): Promise<FunctionReported> {
    return this.kernel.ask('function.report', caller, body);
  }

  @Route(FUNCTIONS.takeOwn)
  takeOwn(
    @RequestInput() { caller, body }: RequestInputOf<typeof FUNCTIONS.takeOwn>,
    @InExchange() { gone }: Exchange,
  ): Promise<TakenPermit> {
    return this.permits.takeOwn(caller, body.operation_id, gone);
  }
}
