// SPDX-License-Identifier: Apache-2.0
import { Controller, Req } from '@nestjs/common';
import { isServiceAccount } from '@writ/contract';
import type { FastifyRequest } from 'fastify';
import { identifiedOf } from '../../edge/access/identified.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { ApiKeys } from '../../store/keys/api-keys.ts';
import { WHOAMI, type Whoami } from './routes.ts';

const PLATFORM: Whoami = {
  kind: 'platform',
  tenant_id: null,
  api_key_id: null,
  name: null,
  role: null,
  agent_id: null,
  tools: null,
  scopes: null,
  capability_token_id: null,
  principal: null,
  member_id: null,
  person_id: null,
  expires_at: null,
};

@Controller()
export class WhoamiController {
  constructor(private readonly keys: ApiKeys) {}

  @Route(WHOAMI.read)
  async read(
    @RequestInput() { caller }: RequestInputOf<typeof WHOAMI.read>,
    @Req() request: FastifyRequest,
  ): Promise<Whoami> {
    if (caller === null) return PLATFORM;
    const { tenant_id, api_key_id, role, agent_id, principal = null, person = null, tools = null } = caller;
    const identified = identifiedOf(request);
    if (identified === null) throw new Error('the guard notes how each caller was identified');
    const row = await this.keys.read(tenant_id, api_key_id);
    return {
      kind: identified.kind,
      tenant_id,
      api_key_id,
      name: row?.name ?? null,
      role,
      agent_id,
      tools,
      scopes: identified.scopes.length === 0 ? null : [...identified.scopes],
      capability_token_id: identified.bound_token ?? null,
      principal: principal !== null && isServiceAccount(principal) ? null : principal,
      member_id: row?.member_id ?? null,
      person_id: person,
      expires_at: identified.expires_at ?? null,
    };
  }
}
