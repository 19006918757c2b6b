// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type TokenReservationReply } from '@writ/contract';
import { ChargeModelTokens } from './charge-model-tokens.ts';
import { ExchangeToken } from './exchange-token.ts';
import { ListForJob } from './list-for-job.ts';
import { SpawnToken } from './spawn-token.ts';
import type { TokenView } from './token-view.ts';

/** Requests of services for derived tokens: of sub-agents, of jobs, of exchanged credentials, and for models. */
@Controller()
export class DerivedTokensController {
  readonly #spawn: SpawnToken;
  readonly #listForJob: ListForJob;
  readonly #charge: ChargeModelTokens;
  readonly #exchange: ExchangeToken;

  constructor(spawn: SpawnToken, listForJob: ListForJob, charge: ChargeModelTokens, exchange: ExchangeToken) {
    this.#spawn = spawn;
    this.#listForJob = listForJob;
    this.#charge = charge;
    this.#exchange = exchange;
  }

  @MessagePattern('kernel.token.list_for_job')
  async listForJob(@Payload() payload: unknown): Promise<TokenView> {
    return await this.#listForJob.run(parseMessage(KERNEL_REQUESTS['token.list_for_job'], payload));
  }

  @MessagePattern('kernel.token.spawn')
  async spawn(@Payload() payload: unknown): Promise<TokenView> {
    return await this.#spawn.run(parseMessage(KERNEL_REQUESTS['token.spawn'], payload));
  }

  @MessagePattern('kernel.credential.exchange')
  async exchange(@Payload() payload: unknown): Promise<TokenView> {
    return await this.#exchange.run(parseMessage(KERNEL_REQUESTS['credential.exchange'], payload));
  }

  @MessagePattern('kernel.token.draw')
  async charge(@Payload() payload: unknown): Promise<TokenReservationReply> {
    return await this.#charge.run(parseMessage(KERNEL_REQUESTS['token.draw'], payload));
  }
}
