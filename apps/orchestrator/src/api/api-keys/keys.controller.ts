// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Asked } from '../../edge/requests/asked.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type AskedOf } from '../../edge/requests/route.ts';
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
    @Asked() { caller, query }: AskedOf<typeof API_KEYS.list>,
  ): Promise<{ items: ApiKeyView[]; next_cursor: string | null }> {
    return this.keys.list(caller.tenant_id, pageOf(query));
  }

  @Route(API_KEYS.create)
  create(@Asked() { caller, body }: AskedOf<typeof API_KEYS.create>): Promise<NewApiKey> {
    return this.change.create(caller, body);
  }

  @Route(API_KEYS.revoke)
  revoke(@Asked() { caller, params }: AskedOf<typeof API_KEYS.revoke>): Promise<RevokedApiKey> {
    return this.change.revoke(caller, params.api_key_id);
  }
}
