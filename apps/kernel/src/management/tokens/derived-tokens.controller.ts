// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type TokenDrawn } from '@writ/contract';
import { DrawTokens } from './draw-tokens.ts';
import { ListForJob } from './list-for-job.ts';
import { SpawnToken } from './spawn-token.ts';
import type { TokenView } from './token-view.ts';

/** Tokens that services derive from others: for an agent that another starts, for a job, and for models. */
@Controller()
export class DerivedTokensController {
  readonly #spawn: SpawnToken;
  readonly #listForJob: ListForJob;
  readonly #draw: DrawTokens;

  constructor(spawn: SpawnToken, listForJob: ListForJob, draw: DrawTokens) {
    this.#spawn = spawn;
    this.#listForJob = listForJob;
    this.#draw = draw;
  }

  @MessagePattern('kernel.token.list_for_job')
  async listForJob(@Payload() payload: unknown): Promise<TokenView> {
    return await this.#listForJob.run(parseMessage(KERNEL_REQUESTS['token.list_for_job'], payload));
  }

  @MessagePattern('kernel.token.spawn')
  async spawn(@Payload() payload: unknown): Promise<TokenView> {
    return await this.#spawn.run(parseMessage(KERNEL_REQUESTS['token.spawn'], payload));
  }

  @MessagePattern('kernel.token.draw')
  async draw(@Payload() payload: unknown): Promise<TokenDrawn> {
    return await this.#draw.run(parseMessage(KERNEL_REQUESTS['token.draw'], payload));
  }
}
