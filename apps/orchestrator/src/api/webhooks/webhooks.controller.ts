// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Fault } from '@writ/contract';
import { requireMatch } from '@writ/nest-kit';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { WEBHOOKS } from './routes.ts';
import type { NewWebhookView, WebhookView } from './views.ts';
import { Webhooks, type WebhookRow } from '../../store/webhooks/webhooks.ts';
import { ChangeWebhooks, type WebhookWithSecret } from './change-webhooks.ts';

@Controller()
export class WebhooksController {
  constructor(
    private readonly webhooks: Webhooks,
    private readonly changeWebhooks: ChangeWebhooks,
  ) {}

  @Route(WEBHOOKS.list)
  async list(
    @RequestInput() { caller, query }: RequestInputOf<typeof WEBHOOKS.list>,
  ): Promise<{ items: WebhookView[]; next_cursor: string | null }> {
    const { items, next_cursor } = await this.webhooks.list(caller.tenant_id, pageOf(query));
    return { items: items.map(viewOf), next_cursor };
  }

  @Route(WEBHOOKS.create)
  async create(@RequestInput() { caller, body }: RequestInputOf<typeof WEBHOOKS.create>): Promise<NewWebhookView> {
    return newWebhookView(await this.changeWebhooks.create(caller, body));
  }

  @Route(WEBHOOKS.read)
  async read(@RequestInput() { caller, params }: RequestInputOf<typeof WEBHOOKS.read>): Promise<WebhookView> {
    const row = await this.webhooks.read(caller.tenant_id, params.webhook_id);
    if (row === null) throw new Fault('not_found');
    return viewOf(row);
  }

  @Route(WEBHOOKS.change)
  async change(@RequestInput() request: RequestInputOf<typeof WEBHOOKS.change>): Promise<WebhookView> {
    const { caller, params, body } = request;
    return viewOf(await this.changeWebhooks.change(caller, params.webhook_id, body, conditionOf(request)));
  }

  @Route(WEBHOOKS.remove)
  async remove(@RequestInput() request: RequestInputOf<typeof WEBHOOKS.remove>): Promise<WebhookView> {
    const { caller, params } = request;
    return viewOf(await this.changeWebhooks.remove(caller, params.webhook_id, conditionOf(request)));
  }

  @Route(WEBHOOKS.rotate)
  async rotate(
    @RequestInput() { caller, params, body }: RequestInputOf<typeof WEBHOOKS.rotate>,
  ): Promise<NewWebhookView> {
    return newWebhookView(await this.changeWebhooks.rotate(caller, params.webhook_id, body.overlap_ms));
  }
}

const viewOf = ({ events, ...row }: WebhookRow): WebhookView => ({ ...row, events: [...events] });
const newWebhookView = ({ webhook, secret }: WebhookWithSecret): NewWebhookView => ({ ...viewOf(webhook), secret });

/** The condition of `If-Match`, on what the API shows of the webhook. */
const conditionOf = ({ ifMatch }: { readonly ifMatch: readonly string[] | null }) =>
  ifMatch === null ? undefined : (present: WebhookRow): void => requireMatch(ifMatch, viewOf(present));
