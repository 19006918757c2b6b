// SPDX-License-Identifier: Apache-2.0
import { NOTICE_KINDS, type Id, type TenantId } from '@writ/contract';

/** The end of a run, which this process reports itself. */
export const RUN_FINISHED = 'run.finished';
/** The kinds of messages for webhooks: the kernel's notices, and the end of a run. */
export const WEBHOOK_KINDS = [...NOTICE_KINDS, RUN_FINISHED] as const;
export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

/** Why a webhook is disabled: a caller disabled it, its server answered 410, or all attempts have failed for days. */
export type DisabledReason = 'asked' | 'gone' | 'failing';

/** A webhook as it is stored. Times are milliseconds since the epoch by the database's clock. */
export interface WebhookRow {
  readonly webhook_id: Id<'webhook'>;
  readonly name: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly state: 'active' | 'disabled';
  readonly disabled_reason: DisabledReason | null;
  /** since when every attempt has failed; null while attempts succeed */
  readonly failing_since: number | null;
  /** until when messages are also signed with the previous secret; null where there is none */
  readonly old_until: number | null;
  readonly created_at: number;
  readonly created_by: string;
  readonly updated_at: number;
}

/** The values of a new webhook; the secret is encrypted. */
export interface NewWebhook extends Pick<WebhookRow, 'webhook_id' | 'name' | 'url' | 'events' | 'created_by'> {
  readonly secret: Buffer;
}

/** The values of a webhook that may change. When it is enabled again, earlier failures no longer count. */
export type WebhookChange = Pick<WebhookRow, 'name' | 'url' | 'events' | 'state'>;

/**
 * Throws unless the change is meant for this state of the webhook. Implementations MUST await it in the transaction of
 * the change, on a row that is locked until its end.
 */
export type WebhookCondition = (present: WebhookRow) => Promise<void>;

/**
 * Webhooks of the tenants. Implementations MUST NOT show or change one of a tenant other than `tenantId`, and MUST NOT
 * return a secret.
 */
export abstract class Webhooks {
  /** Fault `limit.exceeded` where the tenant has `countMax` already, however many are made at once. */
  abstract create(tenantId: TenantId, webhook: NewWebhook, countMax: number): Promise<WebhookRow>;
  /** Null where the tenant has no such webhook; the same holds for all methods below. */
  abstract read(tenantId: TenantId, webhookId: string): Promise<WebhookRow | null>;
  /** Newest first. */
  abstract list(
    tenantId: TenantId,
    page: { readonly cursor: string | null; readonly limit: number },
  ): Promise<{ items: WebhookRow[]; next_cursor: string | null }>;
  abstract change(
    tenantId: TenantId,
    webhookId: string,
    change: WebhookChange,
    condition?: WebhookCondition,
  ): Promise<WebhookRow | null>;
  /** Deletes it with its deliveries; returns the deleted webhook. */
  abstract remove(tenantId: TenantId, webhookId: string, condition?: WebhookCondition): Promise<WebhookRow | null>;
  /** Replaces the secret. Messages are also signed with the previous one for `overlapMs`. */
  abstract rotate(tenantId: TenantId, webhookId: string, secret: Buffer, overlapMs: number): Promise<WebhookRow | null>;
}
