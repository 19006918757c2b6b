// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { conditionMembers } from '../../edge/requests/conditions.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { TOKENS } from './routes.ts';
import type { TokenView } from '../../calls/kernel/token-view.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';

@Controller()
export class TokensController {
  constructor(private readonly kernel: KernelClient) {}

  @Route(TOKENS.issue)
  issue(@RequestInput() { caller, body }: RequestInputOf<typeof TOKENS.issue>): Promise<TokenView> {
    return this.kernel.ask('token.issue', caller, {
      agent_id: body.agent_id,
      workspace_id: body.workspace_id ?? null,
      grant: body.grant,
    });
  }

  @Route(TOKENS.attenuate)
  attenuate(@RequestInput() { caller, params, body }: RequestInputOf<typeof TOKENS.attenuate>): Promise<TokenView> {
    return this.kernel.ask('token.attenuate', caller, {
      parent_id: params.capability_token_id,
      agent_id: body.agent_id ?? null,
      ...(body.workspace_id === undefined ? {} : { workspace_id: body.workspace_id }),
      grant: body.grant,
    });
  }

  @Route(TOKENS.list)
  list(
    @RequestInput() { caller, query }: RequestInputOf<typeof TOKENS.list>,
  ): Promise<{ items: TokenView[]; next_cursor: string | null }> {
    return this.kernel.ask('token.list', caller, {
      page: pageOf(query),
      agent_id: query.agent_id ?? null,
      ...(query.parent_id === undefined ? {} : { parent_id: query.parent_id }),
    });
  }

  @Route(TOKENS.read)
  read(@RequestInput() { caller, params }: RequestInputOf<typeof TOKENS.read>): Promise<TokenView> {
    return this.kernel.ask('token.read', caller, params);
  }

  @Route(TOKENS.revoke)
  revoke(@RequestInput() request: RequestInputOf<typeof TOKENS.revoke>): Promise<TokenView> {
    return this.kernel.ask('token.revoke', request.caller, { ...request.params, ...conditionMembers(request) });
  }
}
