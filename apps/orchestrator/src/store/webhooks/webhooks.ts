// SPDX-License-Identifier: Apache-2.0
import { NOTICE_KINDS, type Id, type TenantId } from '@writ/contract';

/** The end of a run, which this process knows by itself. */
export const RUN_FINISHED = 'run.finished';
/** What a webhook may be told of: that, and what the kernel tells. */
export const WEBHOOK_KINDS = [...NOTICE_KINDS, RUN_FINISHED] as const;
export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

/**
 * Why a webhook gets nothing: somebody asked so, its server said that it is gone (410), or nothing arrived for days.
 */
export type DisabledReason = 'asked' | 'gone' | 'failing';

/** A webhook as it is kept. Times are milliseconds since the epoch by the database's clock. */
export interface WebhookRow {
  readonly webhook_id: Id<'webhook'>;
  readonly name: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly state: 'active' | 'disabled';
  readonly disabled_reason: DisabledReason | null;
  /** since when no attempt has arrived; null while they do */
  readonly failing_since: number | null;
  /** until when messages are signed with the secret before as well; null for no such time */
  readonly old_until: number | null;
  readonly created_at: number;
  readonly created_by: string;
  readonly updated_at: number;
}

/** What a new webhook is made of; the secret is sealed. */
export interface NewWebhook extends Pick<WebhookRow, 'webhook_id' | 'name' | 'url' | 'events' | 'created_by'> {
  readonly secret: Buffer;
}

/** What may be changed of one. Enabled again, it begins anew: what failed before doesn't count. */
export type WebhookChange = Pick<WebhookRow, 'name' | 'url' | 'events' | 'state'>;

/**
 * Webhooks of the tenants. Implementations MUST NOT show or change one of another tenant than the one that is named,
 * and MUST NOT give a secret to a caller of these.
 */
export abstract class Webhooks {
  /** Fault `limit.exceeded` where the tenant has `countMax` already, however many are made at once. */
  abstract create(tenantId: TenantId, webhook: NewWebhook, countMax: number): Promise<WebhookRow>;
  /** Null where the tenant has no such webhook; so for all below. */
  abstract read(tenantId: TenantId, webhookId: string): Promise<WebhookRow | null>;
  /** Newest first. */
  abstract list(
    tenantId: TenantId,
    page: { readonly cursor: string | null; readonly limit: number },
  ): Promise<{ items: WebhookRow[]; next_cursor: string | null }>;
  abstract change(tenantId: TenantId, webhookId: string, change: WebhookChange): Promise<WebhookRow | null>;
  /** Takes it away with all that was on its way to it; answers what it was. */
  abstract remove(tenantId: TenantId, webhookId: string): Promise<WebhookRow | null>;
  /** Puts a new secret in the place of the one that is; that one goes on being signed with for `overlapMs`. */
  abstract rotate(tenantId: TenantId, webhookId: string, secret: Buffer, overlapMs: number): Promise<WebhookRow | null>;
}
