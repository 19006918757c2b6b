// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type CallDefaultsReply } from '@writ/contract';
import type { ListPage } from '@writ/paging';
import { AttenuateToken } from './attenuate-token.ts';
import { CallDefaults } from './call-defaults.ts';
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
  readonly #defaults: CallDefaults;

  constructor(
    tokens: Tokens,
    issue: IssueToken,
    attenuate: AttenuateToken,
    revoke: RevokeToken,
    defaults: CallDefaults,
  ) {
    this.#tokens = tokens;
    this.#issue = issue;
    this.#attenuate = attenuate;
    this.#revoke = revoke;
    this.#defaults = defaults;
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

  @MessagePattern('kernel.call.defaults')
  async defaults(@Payload() payload: unknown): Promise<CallDefaultsReply> {
    return await this.#defaults.find(parseMessage(KERNEL_REQUESTS['call.defaults'], payload));
  }
}
