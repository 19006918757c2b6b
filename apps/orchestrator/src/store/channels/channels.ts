// SPDX-License-Identifier: Apache-2.0
import type { Id, TenantId } from '@writ/contract';

/** Providers that this version can send to. */
export const CHANNEL_KINDS = ['slack', 'webhook', 'teams', 'email'] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];
/** Where a channel of each kind sends to; nothing of it is secret. */
export interface KindSettings {
  readonly slack: { readonly conversation: string; readonly api_url: string };
  readonly webhook: { readonly url: string };
  /** the URL is the secret */
  readonly teams: { readonly origin: string };
  readonly email: {
    readonly host: string;
    readonly port: number;
    /** `none`: only to hosts that the operator allowed */
    readonly tls: 'implicit' | 'starttls' | 'none';
    /** null: without signing in */
    readonly username: string | null;
    readonly from: string;
    readonly to: readonly string[];
  };
}
/** Settings that are kept as they are. Those of Slack are two columns. */
export type StoredSettings = KindSettings[Exclude<ChannelKind, 'slack'>];
export type ChannelState = 'active' | 'disabled';

/** A channel as it is stored. Times are milliseconds since the epoch by the database's clock. */
export interface ChannelRow {
  readonly channel_id: Id<'channel'>;
  readonly name: string;
  readonly kind: ChannelKind;
  /** of Slack: the id of the conversation; else the kind */
  readonly destination: string;
  /** of Slack: its API; else empty */
  readonly api_url: string;
  /** of other kinds than Slack */
  readonly settings: StoredSettings | null;
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
  settings,
}: Pick<ChannelRow, 'destination' | 'api_url' | 'settings'>): KindSettings[ChannelKind] =>
  settings ?? { conversation, api_url };

/** The values of a new channel; the credential is encrypted, of whichever kind. */
export interface NewChannel extends Pick<
  ChannelRow,
  'channel_id' | 'name' | 'kind' | 'destination' | 'api_url' | 'settings' | 'created_by'
> {
  readonly bot_token: Buffer;
}

/** The values of a channel that may change. Null: it stays as it is. */
export interface ChannelChange {
  readonly name: string | null;
  readonly state: ChannelState | null;
  readonly destination: string | null;
  readonly api_url: string | null;
  /** merged into the settings that there are */
  readonly settings: Partial<StoredSettings> | null;
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
