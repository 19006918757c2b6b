// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { parseMessage, RedeemRequest, type Redemption } from '@writ/contract';
import { withSpan } from '@writ/telemetry';
import { Redeem } from './redeem.ts';

@Controller()
export class RedeemController {
  readonly #redeem: Redeem;

  constructor(redeem: Redeem) {
    this.#redeem = redeem;
  }

  @MessagePattern('kernel.redeem')
  async handle(@Payload() payload: unknown): Promise<Redemption> {
    const request = parseMessage(RedeemRequest, payload);
    return await withSpan('performing', {}, async (span) => {
      const redemption = await this.#redeem.run(request);
      span.setAttributes({ operation_id: redemption.operation_id, attempt: redemption.attempt });
      return redemption;
    });
  }
}
