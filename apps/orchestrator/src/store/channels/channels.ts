// SPDX-License-Identifier: Apache-2.0
import type { Id, TenantId } from '@writ/contract';

/** Providers that this version can send to. */
export const CHANNEL_KINDS = ['slack'] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];
/** Where a channel of each kind sends to; nothing of it is secret. */
export interface KindSettings {
  readonly slack: { readonly conversation: string; readonly api_url: string };
}
export type ChannelState = 'active' | 'disabled';

/** A channel as it is stored. Times are milliseconds since the epoch by the database's clock. */
export interface ChannelRow {
  readonly channel_id: Id<'channel'>;
  readonly name: string;
  readonly kind: ChannelKind;
  /** of Slack: the id of the conversation */
  readonly destination: string;
  /** the provider's API */
  readonly api_url: string;
  readonly state: ChannelState;
  /** why the last attempt failed; null: it succeeded, or none was made */
  readonly last_error: string | null;
  readonly created_at: number;
  readonly created_by: string;
  readonly updated_at: number;
}

/** The settings of the channel's own kind. */
export const settingsOf = ({
  destination: conversation,
  api_url,
}: Pick<ChannelRow, 'kind' | 'destination' | 'api_url'>): KindSettings[ChannelKind] => ({ conversation, api_url });

/** The values of a new channel; the token is encrypted. */
export interface NewChannel extends Pick<
  ChannelRow,
  'channel_id' | 'name' | 'kind' | 'destination' | 'api_url' | 'created_by'
> {
  readonly bot_token: Buffer;
}

/** The values of a channel that may change. Null: it stays as it is. */
export interface ChannelChange {
  readonly name: string | null;
  readonly state: ChannelState | null;
  readonly destination: string | null;
  readonly api_url: string | null;
  /** encrypted */
  readonly bot_token: Buffer | null;
}

/**
 * Throws unless the change is meant for this state of the channel. Implementations MUST await it in the transaction of
 * the change, on a row that is locked until its end.
 */
export type ChannelCondition = (present: ChannelRow) => Promise<void>;

/**
 * Channels of the tenants. Implementations MUST NOT show or change one of a tenant other than `tenantId`, and MUST NOT
 * return a token.
 */
export abstract class Channels {
  /** Fault `limit.exceeded` where the tenant has `countMax` already, however many are made at once. */
  abstract create(tenantId: TenantId, channel: NewChannel, countMax: number): Promise<ChannelRow>;
  /** Null where the tenant has no such channel; the same holds for all methods below. */
  abstract read(tenantId: TenantId, channelId: string): Promise<ChannelRow | null>;
  /** Newest first. */
  abstract list(
    tenantId: TenantId,
    page: { readonly cursor: string | null; readonly limit: number },
  ): Promise<{ items: ChannelRow[]; next_cursor: string | null }>;
  abstract change(
    tenantId: TenantId,
    channelId: string,
    change: ChannelChange,
    condition: ChannelCondition,
  ): Promise<ChannelRow | null>;
  /** Deletes it with what is known of its messages; returns the deleted channel. */
  abstract remove(tenantId: TenantId, channelId: string, condition: ChannelCondition): Promise<ChannelRow | null>;
}
