// SPDX-License-Identifier: Apache-2.0
import type { ChangeWebhookRequest, CreateWebhookRequest, Delivery, NewWebhook, Webhook } from '@writ/client/web';
import { useChange, usePaged, type Paged } from './paged.ts';

const WEBHOOKS = 'webhooks';
const DELIVERIES = 'deliveries';
/** No event tells of a delivery, so those that are shown are read this often. */
const EVERY_MS = 10_000;

export const useWebhooks = (): Paged<Webhook> =>
  usePaged([WEBHOOKS], (api, query, options) => api.webhooks.list(query, options));

/** Deliveries of one webhook, newest first. */
export const useDeliveries = (webhookId: string): Paged<Delivery> =>
  usePaged([DELIVERIES, webhookId], (api, query, options) => api.webhooks.listDeliveries(webhookId, query, options), {
    everyMs: EVERY_MS,
  });

export interface WebhookChanges {
  /** The answers of these two have the secret, which is shown once. */
  readonly create: (webhook: CreateWebhookRequest) => Promise<NewWebhook>;
  readonly rotate: (webhookId: string) => Promise<NewWebhook>;
  readonly change: (webhookId: string, webhook: ChangeWebhookRequest) => Promise<unknown>;
  readonly remove: (webhookId: string) => Promise<unknown>;
  readonly ping: (webhookId: string) => Promise<unknown>;
  readonly redeliver: (webhookId: string, deliveryId: string) => Promise<unknown>;
}

export function useWebhookChanges(): WebhookChanges {
  const change = useChange();
  const keys = [WEBHOOKS, DELIVERIES];
  return {
    create: async (webhook) => await change(keys, (api) => api.webhooks.create(webhook)),
    rotate: async (id) => await change(keys, (api) => api.webhooks.rotateSecret(id)),
    change: async (id, webhook) => await change(keys, (api) => api.webhooks.change(id, webhook)),
    remove: async (id) => await change(keys, (api) => api.webhooks.delete(id)),
    ping: async (id) => await change(keys, (api) => api.webhooks.ping(id)),
    redeliver: async (id, deliveryId) => await change(keys, (api) => api.webhooks.redeliver(id, deliveryId)),
  };
}
