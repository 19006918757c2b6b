// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Fault } from '@writ/contract';
import { Asked } from '../../edge/requests/asked.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type AskedOf } from '../../edge/requests/route.ts';
import { WEBHOOKS } from './routes.ts';
import { Deliveries, type DeliveryRow } from '../../store/webhooks/deliveries.ts';
import { pingOf } from '../../delivery/webhooks/message.ts';

@Controller()
export class DeliveriesController {
  constructor(private readonly deliveries: Deliveries) {}

  @Route(WEBHOOKS.deliveries)
  async list(
    @Asked() { caller, params, query }: AskedOf<typeof WEBHOOKS.deliveries>,
  ): Promise<{ items: DeliveryRow[]; next_cursor: string | null }> {
    return there(await this.deliveries.list(caller.tenant_id, params.webhook_id, pageOf(query), query.state ?? null));
  }

  @Route(WEBHOOKS.ping)
  async ping(@Asked() { caller, params }: AskedOf<typeof WEBHOOKS.ping>): Promise<DeliveryRow> {
    return there(await this.deliveries.add(caller.tenant_id, params.webhook_id, pingOf(params.webhook_id, Date.now())));
  }

  @Route(WEBHOOKS.redeliver)
  async redeliver(@Asked() { caller, params }: AskedOf<typeof WEBHOOKS.redeliver>): Promise<DeliveryRow> {
    return there(await this.deliveries.again(caller.tenant_id, params.webhook_id, params.delivery_id));
  }
}

function there<T>(found: T | null): T {
  if (found === null) throw new Fault('not_found');
  return found;
}
