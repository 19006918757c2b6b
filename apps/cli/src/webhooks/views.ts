// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { fieldsOf, momentOf } from '../terminal.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const Webhook = Type.Object({
  webhook_id: Type.String(),
  name: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  state: Type.String(),
  disabled_reason: orNull(Type.String()),
  failing_since: orNull(Type.Integer()),
  old_until: orNull(Type.Integer()),
  created_at: Type.Integer(),
});
export type Webhook = Static<typeof Webhook>;
export const NewWebhook = Type.Object({ ...Webhook.properties, secret: Type.String() });

export const Delivery = Type.Object({
  delivery_id: Type.String(),
  webhook_id: Type.String(),
  message_id: Type.String(),
  kind: Type.String(),
  state: Type.String(),
  attempts: Type.Integer(),
  next_at: orNull(Type.Integer()),
  last_status: orNull(Type.Integer()),
  last_error: orNull(Type.String()),
  created_at: Type.Integer(),
  delivered_at: orNull(Type.Integer()),
});
export type Delivery = Static<typeof Delivery>;

const momentOrNull = (instant: number | null): string | null => (instant === null ? null : momentOf(instant));

export function describeWebhook(webhook: Webhook): string {
  return fieldsOf({
    webhook: webhook.webhook_id,
    name: webhook.name,
    url: webhook.url,
    events: webhook.events.join('\n'),
    state: webhook.disabled_reason === null ? webhook.state : `${webhook.state}: ${webhook.disabled_reason}`,
    'failing since': momentOrNull(webhook.failing_since),
    'old secret until': momentOrNull(webhook.old_until),
    created: momentOf(webhook.created_at),
  });
}

export function describeDelivery(delivery: Delivery): string {
  return fieldsOf({
    delivery: delivery.delivery_id,
    message: delivery.message_id,
    kind: delivery.kind,
    state: delivery.state,
    attempts: delivery.attempts,
    next: momentOrNull(delivery.next_at),
    status: delivery.last_status,
    error: delivery.last_error,
    delivered: momentOrNull(delivery.delivered_at),
  });
}
