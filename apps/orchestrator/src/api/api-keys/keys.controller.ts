// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { API_KEYS } from './routes.ts';
import type { ApiKeyView, NewApiKey, RevokedApiKey } from './views.ts';
import { ApiKeys } from '../../store/keys/api-keys.ts';
import { ChangeKeys } from './change-keys.ts';

@Controller()
export class KeysController {
  constructor(
    private readonly keys: ApiKeys,
    private readonly change: ChangeKeys,
  ) {}

  @Route(API_KEYS.list)
  list(
    @RequestInput() { caller, query }: RequestInputOf<typeof API_KEYS.list>,
  ): Promise<{ items: ApiKeyView[]; next_cursor: string | null }> {
    return this.keys.list(caller.tenant_id, pageOf(query));
  }

  @Route(API_KEYS.create)
  create(@RequestInput() { caller, body }: RequestInputOf<typeof API_KEYS.create>): Promise<NewApiKey> {
    return this.change.create(caller, body);
  }

  @Route(API_KEYS.revoke)
  revoke(@RequestInput() { caller, params }: RequestInputOf<typeof API_KEYS.revoke>): Promise<RevokedApiKey> {
    return this.change.revoke(caller, params.api_key_id);
  }
}
