// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Fault } from '@writ/contract';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { WEBHOOKS } from './routes.ts';
import { Deliveries, type DeliveryRow } from '../../store/webhooks/deliveries.ts';
import { pingOf } from '../../delivery/webhooks/message.ts';

@Controller()
export class DeliveriesController {
  constructor(private readonly deliveries: Deliveries) {}

  @Route(WEBHOOKS.deliveries)
  async list(
    @RequestInput() { caller, params, query }: RequestInputOf<typeof WEBHOOKS.deliveries>,
  ): Promise<{ items: DeliveryRow[]; next_cursor: string | null }> {
    return orNotFound(
      await this.deliveries.list(caller.tenant_id, params.webhook_id, pageOf(query), query.state ?? null),
    );
  }

  @Route(WEBHOOKS.ping)
  async ping(@RequestInput() { caller, params }: RequestInputOf<typeof WEBHOOKS.ping>): Promise<DeliveryRow> {
    return orNotFound(
      await this.deliveries.add(caller.tenant_id, params.webhook_id, pingOf(params.webhook_id, Date.now())),
    );
  }

  @Route(WEBHOOKS.redeliver)
  async redeliver(@RequestInput() { caller, params }: RequestInputOf<typeof WEBHOOKS.redeliver>): Promise<DeliveryRow> {
    return orNotFound(await this.deliveries.redeliver(caller.tenant_id, params.webhook_id, params.delivery_id));
  }
}

function orNotFound<T>(found: T | null): T {
  if (found === null) throw new Fault('not_found');
  return found;
}
