// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage } from '@writ/contract';
import type { ListPage } from '@writ/paging';
import { AttenuateToken } from './attenuate-token.ts';
import { IssueToken } from './issue-token.ts';
import { RevokeToken } from './revoke-token.ts';
import type { TokenView } from './token-view.ts';
import { Tokens } from './tokens.ts';

@Controller()
export class TokensController {
  readonly #tokens: Tokens;
  readonly #issue: IssueToken;
  readonly #attenuate: AttenuateToken;
  readonly #revoke: RevokeToken;

  constructor(tokens: Tokens, issue: IssueToken, attenuate: AttenuateToken, revoke: RevokeToken) {
    this.#tokens = tokens;
    this.#issue = issue;
    this.#attenuate = attenuate;
    this.#revoke = revoke;
  }

  @MessagePattern('kernel.token.issue')
  async issue(@Payload() payload: unknown): Promise<TokenView> {
    return await this.#issue.run(parseMessage(KERNEL_REQUESTS['token.issue'], payload));
  }

  @MessagePattern('kernel.token.attenuate')
  async attenuate(@Payload() payload: unknown): Promise<TokenView> {
    return await this.#attenuate.run(parseMessage(KERNEL_REQUESTS['token.attenuate'], payload));
  }

  @MessagePattern('kernel.token.revoke')
  async revoke(@Payload() payload: unknown): Promise<TokenView> {
    return await this.#revoke.run(parseMessage(KERNEL_REQUESTS['token.revoke'], payload));
  }

  @MessagePattern('kernel.token.read')
  async read(@Payload() payload: unknown): Promise<TokenView> {
    return await this.#tokens.read(parseMessage(KERNEL_REQUESTS['token.read'], payload));
  }

  @MessagePattern('kernel.token.list')
  async list(@Payload() payload: unknown): Promise<ListPage<TokenView>> {
    return await this.#tokens.list(parseMessage(KERNEL_REQUESTS['token.list'], payload));
  }
}
