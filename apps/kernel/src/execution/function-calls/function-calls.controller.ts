// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import {
  KERNEL_REQUESTS,
  parseMessage,
  type FunctionRedemption,
  type FunctionRenewal,
  type FunctionReported,
  type PermitReleased,
  type TakenPermit,
} from '@writ/contract';
import { withSpan } from '@writ/telemetry';
import { FunctionCalls } from './function-calls.ts';

/** Reports that one replica decides at once; a further one gets `overloaded`, and is retried within its lease. */
const CONCURRENCY_MAX = 64;

@Controller()
export class FunctionCallsController {
  readonly #calls: FunctionCalls;

  constructor(calls: FunctionCalls) {
    this.#calls = calls;
  }

  @MessagePattern('kernel.function.take')
  async take(@Payload() payload: unknown): Promise<TakenPermit> {
    return await this.#calls.take(parseMessage(KERNEL_REQUESTS['function.take'], payload));
  }

  @MessagePattern('kernel.function.release')
  async release(@Payload() payload: unknown): Promise<PermitReleased> {
    return await this.#calls.release(parseMessage(KERNEL_REQUESTS['function.release'], payload));
  }

  @MessagePattern('kernel.function.redeem')
  async redeem(@Payload() payload: unknown): Promise<FunctionRedemption> {
    const request = parseMessage(KERNEL_REQUESTS['function.redeem'], payload);
    return await withSpan('performing', {}, async (span) => {
      const redemption = await this.#calls.redeem(request);
      span.setAttributes({ operation_id: redemption.operation_id, attempt: redemption.attempt });
      return redemption;
    });
  }

  @MessagePattern('kernel.function.renew')
  async renew(@Payload() payload: unknown): Promise<FunctionRenewal> {
    return await this.#calls.renew(parseMessage(KERNEL_REQUESTS['function.renew'], payload));
  }

  @MessagePattern('kernel.function.report', { concurrencyMax: CONCURRENCY_MAX })
  async report(@Payload() payload: unknown): Promise<FunctionReported> {
    const request = parseMessage(KERNEL_REQUESTS['function.report'], payload);
    return await withSpan('performed', {}, () => this.#calls.report(request));
  }
}
