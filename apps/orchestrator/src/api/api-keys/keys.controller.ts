// SPDX-License-Identifier: Apache-2.0
import { Controller, Req } from '@nestjs/common';
import { Fault } from '@writ/contract';
import type { FastifyRequest } from 'fastify';
import { parseBearer } from '../../edge/access/authenticator.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { API_KEYS } from './routes.ts';
import { apiKeyView, type ApiKeyView, type NewApiKey, type RevokedApiKey } from './views.ts';
import { ApiKeys } from '../../store/keys/api-keys.ts';
import { ChangeKeys } from './change-keys.ts';

@Controller()
export class KeysController {
  constructor(
    private readonly keys: ApiKeys,
    private readonly change: ChangeKeys,
  ) {}

  @Route(API_KEYS.list)
  async list(
    @RequestInput() { caller, query }: RequestInputOf<typeof API_KEYS.list>,
  ): Promise<{ items: ApiKeyView[]; next_cursor: string | null }> {
    const { items, next_cursor } = await this.keys.list(caller.tenant_id, pageOf(query));
    return { items: items.map(apiKeyView), next_cursor };
  }

  @Route(API_KEYS.create)
  create(@RequestInput() { caller, body }: RequestInputOf<typeof API_KEYS.create>): Promise<NewApiKey> {
    return this.change.create(caller, body);
  }

  @Route(API_KEYS.rotate)
  rotate(@RequestInput() { caller, params, body }: RequestInputOf<typeof API_KEYS.rotate>): Promise<NewApiKey> {
    return this.change.rotate(caller, params.api_key_id, body);
  }

  @Route(API_KEYS.rotateOwn)
  rotateOwn(
    @RequestInput() { caller, body }: RequestInputOf<typeof API_KEYS.rotateOwn>,
    @Req() request: FastifyRequest,
  ): Promise<NewApiKey> {
    // A browser presents a cookie. No session gets a secret that would outlive it.
    const { authorization } = request.headers;
    if (authorization === undefined)
      throw new Fault(
        'conflict',
        'a session in a browser exchanges no secret: send the secret that you exchange as `Authorization: Bearer`',
      );
    return this.change.rotateOwn(caller, parseBearer(authorization), body.overlap_ms);
  }

  @Route(API_KEYS.revoke)
  revoke(@RequestInput() { caller, params }: RequestInputOf<typeof API_KEYS.revoke>): Promise<RevokedApiKey> {
    return this.change.revoke(caller, params.api_key_id);
  }
}
