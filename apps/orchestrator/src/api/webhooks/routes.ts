// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { closed, Name, paging } from '../../edge/requests/fields.ts';
import { WEBHOOK_KINDS } from '../../store/webhooks/webhooks.ts';
import { route } from '../../edge/requests/route.ts';
import { DeliveryList, DeliveryView, NewWebhookView, WebhookList, WebhookView } from './views.ts';

const shared = { tag: 'webhooks' } as const;
const one = { ...shared, params: { webhook_id: 'webhook' } } as const;
const READER_ROLES = ['admin', 'operator', 'auditor'] as const;

/** Longest overlap of two secrets: the time that receivers have for a rotation. */
const OVERLAP_MAX_MS = 7 * 24 * 3_600_000;

const webhookFields = {
  name: Name,
  url: Type.String({ minLength: 1, maxLength: 2_048, description: '`https://`, at a public address' }),
  events: Type.Array(Type.Enum([...WEBHOOK_KINDS]), {
    minItems: 1,
    maxItems: 32,
    description: 'the kinds of messages that it receives',
  }),
};

export const WEBHOOKS = {
  list: route({
    ...shared,
    id: 'listWebhooks',
    method: 'GET',
    path: '/v1/webhooks',
    allowed: READER_ROLES,
    summary: 'Lists the webhooks',
    query: Type.Object(paging, closed),
    answers: { 200: { description: 'A page of webhooks, without their secrets', schema: WebhookList } },
  }),
  create: route({
    ...shared,
    id: 'createWebhook',
    method: 'POST',
    path: '/v1/webhooks',
    allowed: ['admin'],
    summary: 'Creates a webhook; its secret is shown once',
    body: Type.Object(webhookFields, closed),
    answers: {
      201: { description: 'The webhook and the secret that its messages are signed with', schema: NewWebhookView },
    },
    faults: ['limit.exceeded'],
  }),
  rotate: route({
    ...one,
    id: 'rotateWebhookSecret',
    method: 'POST',
    path: '/v1/webhooks/{webhook_id}/secret',
    allowed: ['admin'],
    summary: 'Creates a new secret; for a time messages are also signed with the old one',
    body: Type.Object(
      {
        overlap_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: OVERLAP_MAX_MS, description: 'default: a day' })),
      },
      closed,
    ),
    answers: { 200: { description: 'The webhook and its new secret', schema: NewWebhookView } },
    faults: ['not_found'],
  }),
  ping: route({
    ...one,
    id: 'pingWebhook',
    method: 'POST',
    path: '/v1/webhooks/{webhook_id}/ping',
    allowed: ['admin', 'operator'],
    summary: 'Sends a message of the kind `webhook.ping`',
    body: Type.Object({}, closed),
    answers: { 202: { description: 'The delivery, on its way', schema: DeliveryView } },
    faults: ['not_found', 'conflict'],
  }),
  deliveries: route({
    ...one,
    id: 'listDeliveries',
    method: 'GET',
    path: '/v1/webhooks/{webhook_id}/deliveries',
    allowed: READER_ROLES,
    summary: 'Lists finished and pending deliveries, newest first',
    query: Type.Object({ ...paging, state: Type.Optional(Type.Enum(['pending', 'delivered', 'failed'])) }, closed),
    answers: { 200: { description: 'A page of deliveries', schema: DeliveryList } },
    faults: ['not_found'],
  }),
  redeliver: route({
    ...one,
    id: 'redeliver',
    method: 'POST',
    path: '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver',
    params: { webhook_id: 'webhook', delivery_id: 'delivery' },
    allowed: ['admin', 'operator'],
    summary: 'Sends a message again, with the same id',
    body: Type.Object({}, closed),
    answers: { 202: { description: 'The delivery, on its way', schema: DeliveryView } },
    faults: ['not_found', 'conflict'],
  }),
  read: route({
    ...one,
    id: 'readWebhook',
    tagged: 'view',
    method: 'GET',
    path: '/v1/webhooks/{webhook_id}',
    allowed: READER_ROLES,
    summary: 'Shows a webhook',
    answers: { 200: { description: 'The webhook', schema: WebhookView } },
    faults: ['not_found'],
  }),
  change: route({
    ...one,
    id: 'changeWebhook',
    tagged: 'view',
    method: 'PUT',
    path: '/v1/webhooks/{webhook_id}',
    allowed: ['admin'],
    summary: 'Changes a webhook, disables it or enables it again',
    body: Type.Object({ ...webhookFields, state: Type.Enum(['active', 'disabled']) }, closed),
    answers: { 200: { description: 'The webhook', schema: WebhookView } },
    faults: ['not_found'],
  }),
  remove: route({
    ...one,
    id: 'deleteWebhook',
    tagged: 'view',
    method: 'DELETE',
    path: '/v1/webhooks/{webhook_id}',
    allowed: ['admin'],
    summary: 'Deletes a webhook with its pending deliveries',
    answers: { 200: { description: 'The deleted webhook', schema: WebhookView } },
    faults: ['not_found'],
  }),
};
