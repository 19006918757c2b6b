// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { EffectStartedRequest, parseMessage, RenewRequest, type RenewReply } from '@writ/contract';
import { Renew } from './renew.ts';

@Controller()
export class RenewController {
  readonly #renew: Renew;

  constructor(renew: Renew) {
    this.#renew = renew;
  }

  @MessagePattern('kernel.renew')
  async renew(@Payload() payload: unknown): Promise<RenewReply> {
    return await this.#renew.run(parseMessage(RenewRequest, payload));
  }

  @MessagePattern('kernel.effect_started')
  async effectStarted(@Payload() payload: unknown): Promise<RenewReply> {
    return await this.#renew.effectStarted(parseMessage(EffectStartedRequest, payload));
  }
}
