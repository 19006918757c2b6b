// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Fault } from '@writ/contract';
import { Asked } from '../../edge/requests/asked.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type AskedOf } from '../../edge/requests/route.ts';
import { WEBHOOKS } from './routes.ts';
import type { NewWebhookView, WebhookView } from './views.ts';
import { Webhooks, type WebhookRow } from '../../store/webhooks/webhooks.ts';
import { ChangeWebhooks, type WithSecret } from './change-webhooks.ts';

@Controller()
export class WebhooksController {
  constructor(
    private readonly webhooks: Webhooks,
    private readonly changing: ChangeWebhooks,
  ) {}

  @Route(WEBHOOKS.list)
  async list(
    @Asked() { caller, query }: AskedOf<typeof WEBHOOKS.list>,
  ): Promise<{ items: WebhookView[]; next_cursor: string | null }> {
    const { items, next_cursor } = await this.webhooks.list(caller.tenant_id, pageOf(query));
    return { items: items.map(viewOf), next_cursor };
  }

  @Route(WEBHOOKS.create)
  async create(@Asked() { caller, body }: AskedOf<typeof WEBHOOKS.create>): Promise<NewWebhookView> {
    return withSecret(await this.changing.create(caller, body));
  }

  @Route(WEBHOOKS.read)
  async read(@Asked() { caller, params }: AskedOf<typeof WEBHOOKS.read>): Promise<WebhookView> {
    const row = await this.webhooks.read(caller.tenant_id, params.webhook_id);
    if (row === null) throw new Fault('not_found');
    return viewOf(row);
  }

  @Route(WEBHOOKS.change)
  async change(@Asked() { caller, params, body }: AskedOf<typeof WEBHOOKS.change>): Promise<WebhookView> {
    return viewOf(await this.changing.change(caller, params.webhook_id, body));
  }

  @Route(WEBHOOKS.remove)
  async remove(@Asked() { caller, params }: AskedOf<typeof WEBHOOKS.remove>): Promise<WebhookView> {
    return viewOf(await this.changing.remove(caller, params.webhook_id));
  }

  @Route(WEBHOOKS.rotate)
  async rotate(@Asked() { caller, params, body }: AskedOf<typeof WEBHOOKS.rotate>): Promise<NewWebhookView> {
    return withSecret(await this.changing.rotate(caller, params.webhook_id, body.overlap_ms));
  }
}

const viewOf = ({ events, ...row }: WebhookRow): WebhookView => ({ ...row, events: [...events] });
const withSecret = ({ webhook, secret }: WithSecret): NewWebhookView => ({ ...viewOf(webhook), secret });
