// SPDX-License-Identifier: Apache-2.0
import type { Id, TenantId } from '@writ/contract';
import type { WebhookRow } from './webhooks.ts';

/** One message on its way to one webhook. Times are milliseconds since the epoch by the database's clock. */
export interface DeliveryRow {
  readonly delivery_id: Id<'delivery'>;
  readonly webhook_id: Id<'webhook'>;
  /** the same however often it is tried, so that a receiver can tell */
  readonly message_id: string;
  readonly kind: string;
  readonly state: 'pending' | 'delivered' | 'failed';
  readonly attempts: number;
  /** when it is tried next; null when it won't be */
  readonly next_at: number | null;
  /** the HTTP status that the last attempt was answered with; null for no answer */
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly created_at: number;
  readonly delivered_at: number | null;
}

/** What is to be told. */
export interface Message {
  readonly message_id: string;
  readonly kind: string;
  /** exactly the bytes that are signed and sent */
  readonly body: string;
}

/** A right to try one delivery. Once it has run out, it is fenced. */
export interface DeliveryClaim {
  readonly tenant_id: TenantId;
  readonly delivery_id: string;
  readonly claim: number;
}

/** What a try needs. */
export interface OpenDelivery extends Message {
  readonly webhook_id: Id<'webhook'>;
  readonly url: string;
  readonly attempts: number;
  /** sealed: the webhook's own, then the one before it while that is still signed with */
  readonly secrets: readonly Buffer[];
}

/**
 * How a try ended. `retryMs`: it is tried again after that; null: it was the last. `disable`: nothing more goes to the
 * webhook.
 */
export type DeliveryEnd =
  | { readonly arrived: true; readonly status: number }
  | {
      readonly arrived: false;
      readonly status: number | null;
      readonly error: string;
      readonly retryMs: number | null;
      readonly disable: boolean;
    };

/**
 * Messages on their way. Implementations MUST NOT show or change what is another tenant's than the one that is named.
 */
export abstract class Deliveries {
  /**
   * Keeps each message for every active webhook that listens to its kind. Resolves after COMMIT. INVARIANT (once): of
   * one message to one webhook there is one delivery, however often and by however many this is called.
   */
  abstract spread(tenantId: TenantId, messages: readonly Message[]): Promise<void>;
  /**
   * One message to one webhook. Null where the tenant has no such webhook. Fault `conflict` for one that is disabled.
   */
  abstract add(tenantId: TenantId, webhookId: string, message: Message): Promise<DeliveryRow | null>;
  /** Newest first; null where the tenant has no such webhook. */
  abstract list(
    tenantId: TenantId,
    webhookId: string,
    page: { readonly cursor: string | null; readonly limit: number },
    state: DeliveryRow['state'] | null,
  ): Promise<{ items: DeliveryRow[]; next_cursor: string | null } | null>;
  /**
   * Begins anew with one that has ended or waits. Null where it isn't there. Fault `conflict` where the webhook is
   * disabled.
   */
  abstract again(tenantId: TenantId, webhookId: string, deliveryId: string): Promise<DeliveryRow | null>;
  /**
   * Claims what is due, of all tenants: `rows` at most, and of one tenant no more than `tenantMax` under way at once.
   */
  abstract claim(limits: {
    readonly rows: number;
    readonly tenantMax: number;
    readonly claimMs: number;
  }): Promise<DeliveryClaim[]>;
  /** Null where the claim has run out, or there is nothing to deliver any more. */
  abstract open(claim: DeliveryClaim): Promise<OpenDelivery | null>;
  /**
   * Notes how a claimed try ended; nothing, where the claim has run out. `failingMaxMs`: a webhook that nothing reached
   * for longer is disabled. Answers the webhook where that disabled it.
   */
  abstract settle(
    claim: DeliveryClaim,
    end: DeliveryEnd,
    failingMaxMs: number,
  ): Promise<Pick<WebhookRow, 'webhook_id' | 'disabled_reason'> | null>;
  /** Forgets what ended longer ago. */
  abstract prune(olderMs: number): Promise<number>;
}
