// SPDX-License-Identifier: Apache-2.0
import type { Id, TenantId } from '@writ/contract';
import type { ChannelKind, ChannelRow } from './channels.ts';

/** A change of an approval. */
export interface ApprovalChange {
  readonly approval_id: string;
  /** it asks people: channels without a message about it get one. Otherwise only messages that exist are changed. */
  readonly asks: boolean;
}

/** A right to attempt one message. Once it has expired, it is fenced. */
export interface ChannelClaim {
  readonly tenant_id: TenantId;
  readonly channel_id: string;
  readonly approval_id: string;
  readonly claim: number;
}

/** What is claimed at most. */
export interface ClaimLimits {
  readonly kinds: readonly ChannelKind[];
  readonly rows: number;
  readonly tenantMax: number;
  readonly claimMs: number;
}

/** What an attempt needs. */
export interface OpenMessage extends Pick<ChannelRow, 'kind' | 'destination' | 'api_url' | 'settings' | 'created_by'> {
  readonly channel_id: Id<'channel'>;
  readonly approval_id: Id<'approval'>;
  /** encrypted */
  readonly bot_token: Buffer;
  /** of the message at the provider; null: it was not sent yet */
  readonly reference: string | null;
  /** how many changes of the approval were reported by now */
  readonly wanted: number;
  /** failed attempts in a row */
  readonly attempts: number;
}

/** How an attempt ended. `retryMs`: the next one follows after that; null: none until the approval changes again. */
export type MessageEnd =
  | { readonly sent: true; readonly reference: string | null }
  | { readonly sent: false; readonly error: string; readonly retryMs: number | null };

/** Where one message stands. */
export interface MessageRow {
  readonly channel_id: string;
  readonly approval_id: string;
  readonly wanted: number;
  readonly sent: number;
  readonly reference: string | null;
  readonly state: 'pending' | 'sent' | 'failed';
  readonly attempts: number;
  readonly last_error: string | null;
}

/**
 * Messages about approvals in channels, one for each channel and approval. Implementations MUST NOT show or change one
 * of a tenant other than `tenantId`.
 */
export abstract class ChannelMessages {
  /** Resolves once every active channel of the tenant has the changes among its messages that are due. */
  abstract note(tenantId: TenantId, changes: readonly ApprovalChange[]): Promise<void>;
  /**
   * Due messages of all tenants in channels of these kinds: at most `rows`, and at most `tenantMax` of one tenant in
   * progress. Callers MUST name only kinds that they can send to.
   */
  abstract claim(limits: ClaimLimits): Promise<ChannelClaim[]>;
  /** Null where the claim is over, or the channel is disabled or deleted. */
  abstract open(claim: ChannelClaim): Promise<OpenMessage | null>;
  /**
   * Records how the attempt ended that showed `shown` changes. A message whose approval changed meanwhile is due again.
   * Implementations MUST NOT record it where the claim is over.
   */
  abstract settle(claim: ChannelClaim, shown: number, end: MessageEnd): Promise<void>;
  /** Messages of one approval. */
  abstract of(tenantId: TenantId, approvalId: string): Promise<MessageRow[]>;
  /** Deletes what is known of messages that nothing has changed for so long. */
  abstract prune(olderMs: number): Promise<number>;
}
