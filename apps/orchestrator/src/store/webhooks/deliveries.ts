// SPDX-License-Identifier: Apache-2.0
import type { Id, TenantId } from '@writ/contract';
import type { WebhookRow } from './webhooks.ts';

/** One message on its way to one webhook. Times are milliseconds since the epoch by the database's clock. */
export interface DeliveryRow {
  readonly delivery_id: Id<'delivery'>;
  readonly webhook_id: Id<'webhook'>;
  /** the same in each attempt, so that a receiver can recognize duplicates */
  readonly message_id: string;
  readonly kind: string;
  readonly state: 'pending' | 'delivered' | 'failed';
  readonly attempts: number;
  /** when it is attempted next; null when it won't be */
  readonly next_at: number | null;
  /** the HTTP status that the last attempt was answered with; null for no answer */
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly created_at: number;
  readonly delivered_at: number | null;
}

/** A message to send. */
export interface Message {
  readonly message_id: string;
  readonly kind: string;
  /** exactly the bytes that are signed and sent */
  readonly body: string;
}

/** A right to attempt one delivery. Once it has expired, it is fenced. */
export interface DeliveryClaim {
  readonly tenant_id: TenantId;
  readonly delivery_id: string;
  readonly claim: number;
}

/** What an attempt needs. */
export interface OpenDelivery extends Message {
  readonly webhook_id: Id<'webhook'>;
  readonly url: string;
  readonly attempts: number;
  /** encrypted: the webhook's secret, then the previous one while messages are still signed with it */
  readonly secrets: readonly Buffer[];
}

/**
 * How an attempt ended. `retryMs`: the next attempt follows after that; null: this was the last. `disable`: no further
 * messages are sent to the webhook.
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
 * Deliveries of messages. Implementations MUST NOT show or change a delivery of a tenant other than the one that is
 * named.
 */
export abstract class Deliveries {
  /**
   * Stores each message for every active webhook that subscribes to its kind. Resolves after COMMIT. INVARIANT (once):
   * of one message to one webhook there is one delivery, however often and by however many replicas this is called.
   */
  abstract fanOut(tenantId: TenantId, messages: readonly Message[]): Promise<void>;
  /**
   * Stores one message for one webhook. Null where the tenant has no such webhook. Fault `conflict` for one that is
   * disabled.
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
   * Restarts a delivery that has ended or waits. Null where it doesn't exist. Fault `conflict` where the webhook is
   * disabled.
   */
  abstract redeliver(tenantId: TenantId, webhookId: string, deliveryId: string): Promise<DeliveryRow | null>;
  /**
   * Claims due deliveries of all tenants: at most `rows`, and no more than `tenantMax` of one tenant in progress at
   * once.
   */
  abstract claim(limits: {
    readonly rows: number;
    readonly tenantMax: number;
    readonly claimMs: number;
  }): Promise<DeliveryClaim[]>;
  /** Null where the claim has expired, or nothing is left to deliver. */
  abstract open(claim: DeliveryClaim): Promise<OpenDelivery | null>;
  /**
   * Records how a claimed attempt ended; does nothing where the claim has expired. `failingMaxMs`: a webhook whose
   * attempts have all failed for longer is disabled. Returns the webhook if this disabled it.
   */
  abstract settle(
    claim: DeliveryClaim,
    end: DeliveryEnd,
    failingMaxMs: number,
  ): Promise<Pick<WebhookRow, 'webhook_id' | 'disabled_reason'> | null>;
  /** Deletes deliveries that ended and were created longer ago than `olderMs`. Returns how many. */
  abstract prune(olderMs: number): Promise<number>;
}
