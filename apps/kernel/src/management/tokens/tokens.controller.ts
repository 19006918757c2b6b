// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type TokenDrawn } from '@writ/contract';
import type { Listed } from '@writ/paging';
import { AttenuateToken } from './attenuate-token.ts';
import { DrawTokens } from './draw-tokens.ts';
import { IssueToken } from './issue-token.ts';
import { ListForJob } from './list-for-job.ts';
import { RevokeToken } from './revoke-token.ts';
import { SpawnToken } from './spawn-token.ts';
import type { TokenView } from './token-view.ts';
import { Tokens } from './tokens.ts';

@Controller()
export class TokensController {
  readonly #tokens: Tokens;
  readonly #issue: IssueToken;
  readonly #attenuate: AttenuateToken;
  readonly #revoke: RevokeToken;
  readonly #spawn: SpawnToken;
  readonly #listForJob: ListForJob;
  readonly #draw: DrawTokens;

  constructor(
    tokens: Tokens,
    issue: IssueToken,
    attenuate: AttenuateToken,
    revoke: RevokeToken,
    spawn: SpawnToken,
    listForJob: ListForJob,
    draw: DrawTokens,
  ) {
    this.#tokens = tokens;
    this.#issue = issue;
    this.#attenuate = attenuate;
    this.#revoke = revoke;
    this.#spawn = spawn;
    this.#listForJob = listForJob;
    this.#draw = draw;
  }

  @MessagePattern('kernel.token.issue')
  async issue(@Payload() payload: unknown): Promise<TokenView> {
    return await this.#issue.run(parseMessage(KERNEL_REQUESTS['token.issue'], payload));
  }

  @MessagePattern('kernel.token.attenuate')
  async attenuate(@Payload() payload: unknown): Promise<TokenView> {
    return await this.#attenuate.run(parseMessage(KERNEL_REQUESTS['token.attenuate'], payload));
  }

  @MessagePattern('kernel.token.list_for_job')
  async listForJob(@Payload() payload: unknown): Promise<TokenView> {
    return await this.#listForJob.run(parseMessage(KERNEL_REQUESTS['token.list_for_job'], payload));
  }

  @MessagePattern('kernel.token.revoke')
  async revoke(@Payload() payload: unknown): Promise<TokenView> {
    return await this.#revoke.run(parseMessage(KERNEL_REQUESTS['token.revoke'], payload));
  }

  @MessagePattern('kernel.token.spawn')
  async spawn(@Payload() payload: unknown): Promise<TokenView> {
    return await this.#spawn.run(parseMessage(KERNEL_REQUESTS['token.spawn'], payload));
  }

  @MessagePattern('kernel.token.draw')
  async draw(@Payload() payload: unknown): Promise<TokenDrawn> {
    return await this.#draw.run(parseMessage(KERNEL_REQUESTS['token.draw'], payload));
  }

  @MessagePattern('kernel.token.read')
  async read(@Payload() payload: unknown): Promise<TokenView> {
    return await this.#tokens.read(parseMessage(KERNEL_REQUESTS['token.read'], payload));
  }

  @MessagePattern('kernel.token.list')
  async list(@Payload() payload: unknown): Promise<Listed<TokenView>> {
    return await this.#tokens.list(parseMessage(KERNEL_REQUESTS['token.list'], payload));
  }
}
