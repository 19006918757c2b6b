// SPDX-License-Identifier: Apache-2.0
import { idSchema } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { closed, Instant, listOf, orNull } from '../../edge/requests/fields.ts';

export const WebhookView = Type.Object(
  {
    webhook_id: idSchema('webhook'),
    name: Type.String(),
    url: Type.String(),
    events: Type.Array(Type.String()),
    state: Type.Enum(['active', 'disabled']),
    disabled_reason: orNull(
      Type.Enum(['asked', 'gone', 'failing'], {
        description: '`gone`: its server answered 410; `failing`: all attempts failed for five days',
      }),
    ),
    failing_since: orNull(
      Type.Integer({ minimum: 0, description: 'since when every attempt has failed; null while attempts succeed' }),
    ),
    old_until: orNull(
      Type.Integer({ minimum: 0, description: 'until when messages are also signed with the previous secret' }),
    ),
    created_at: Instant,
    created_by: Type.String({ description: 'the API key that created it' }),
    updated_at: Instant,
  },
  closed,
);
export type WebhookView = Static<typeof WebhookView>;

export const NewWebhookView = Type.Object(
  {
    ...WebhookView.properties,
    secret: Type.String({ description: 'the secret that signs messages, `whsec_…`: shown once' }),
  },
  closed,
);
export type NewWebhookView = Static<typeof NewWebhookView>;

export const DeliveryView = Type.Object(
  {
    delivery_id: idSchema('delivery'),
    webhook_id: idSchema('webhook'),
    message_id: Type.String({ description: '`webhook-id` of the message: the same in each attempt' }),
    kind: Type.String(),
    state: Type.Enum(['pending', 'delivered', 'failed']),
    attempts: Type.Integer({ minimum: 0 }),
    next_at: orNull(Type.Integer({ minimum: 0, description: 'when it is attempted next' })),
    last_status: orNull(Type.Integer({ description: 'HTTP status of the last response' })),
    last_error: orNull(Type.String({ description: 'why the last attempt failed' })),
    created_at: Instant,
    delivered_at: orNull(Instant),
  },
  closed,
);
export type DeliveryView = Static<typeof DeliveryView>;

export const WebhookList = listOf(WebhookView);
export const DeliveryList = listOf(DeliveryView);
