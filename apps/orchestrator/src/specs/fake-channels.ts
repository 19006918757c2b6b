// SPDX-License-Identifier: Apache-2.0
import { Fault, type TenantId } from '@writ/contract';
import { badCursor } from '@writ/paging';
import {
  ChannelMessages,
  type ApprovalChange,
  type ChannelClaim,
  type ClaimLimits,
  type MessageEnd,
  type MessageRow,
  type OpenMessage,
} from '../store/channels/channel-messages.ts';
import {
  Channels,
  type ChannelChange,
  type ChannelCondition,
  type ChannelRow,
  type NewChannel,
  type StoredSettings,
} from '../store/channels/channels.ts';

interface KeptChannel {
  readonly tenant_id: TenantId;
  row: ChannelRow;
  bot_token: Buffer;
}
interface KeptMessage {
  readonly tenant_id: TenantId;
  row: MessageRow;
  next_at: number;
  updated_at: number;
  claim: number;
}

/** In-memory stores of channels and their messages. */
export class FakeChannels {
  /** milliseconds; a test moves it */
  now = Date.now();
  /** nothing is claimed while it is set */
  isPaused = false;
  kept: KeptChannel[] = [];
  sent: KeptMessage[] = [];
  readonly channels: Channels = new MemoryChannels(this);
  readonly messages: ChannelMessages = new MemoryChannelMessages(this);

  channel(tenantId: string, channelId: string): KeptChannel | undefined {
    return this.kept.find(({ tenant_id, row }) => tenant_id === tenantId && row.channel_id === channelId);
  }
}

class MemoryChannels extends Channels {
  readonly #all: FakeChannels;

  constructor(all: FakeChannels) {
    super();
    this.#all = all;
  }

  override async create(
    tenant_id: TenantId,
    { bot_token, ...channel }: NewChannel,
    countMax: number,
  ): Promise<ChannelRow> {
    if (this.#all.kept.filter((each) => each.tenant_id === tenant_id).length >= countMax)
      throw new Fault('limit.exceeded');
    const { now } = this.#all;
    const row: ChannelRow = { ...channel, state: 'active', last_error: null, created_at: now, updated_at: now };
    this.#all.kept.unshift({ tenant_id, row, bot_token });
    return row;
  }

  override async read(tenantId: TenantId, channelId: string): Promise<ChannelRow | null> {
    return this.#all.channel(tenantId, channelId)?.row ?? null;
  }

  override async list(
    tenantId: TenantId,
    { cursor, limit }: { cursor: string | null; limit: number },
  ): Promise<{ items: ChannelRow[]; next_cursor: string | null }> {
    const rows = this.#all.kept.filter(({ tenant_id }) => tenant_id === tenantId).map(({ row }) => row);
    const from = cursor === null ? 0 : rows.findIndex(({ channel_id }) => channel_id === cursor) + 1;
    if (cursor !== null && from === 0) throw badCursor();
    const items = rows.slice(from, from + limit);
    return { items, next_cursor: rows.length > from + limit ? (items.at(-1)?.channel_id ?? null) : null };
  }

  override async change(
    tenantId: TenantId,
    channelId: string,
    { bot_token, settings: given_settings, ...change }: ChannelChange,
    condition: ChannelCondition,
  ): Promise<ChannelRow | null> {
    const kept = this.#all.channel(tenantId, channelId);
    if (kept === undefined) return null;
    await condition(kept.row);
    if (bot_token !== null) kept.bot_token = bot_token;
    const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== null));
    const isSame = bot_token === null && given_settings === null && Object.keys(given).every((name) => name === 'name');
    const last_error = isSame ? kept.row.last_error : null;
    const settings =
      kept.row.settings === null ? null : ({ ...kept.row.settings, ...given_settings } as StoredSettings);
    return (kept.row = { ...kept.row, ...given, settings, last_error, updated_at: this.#all.now });
  }

  override async remove(
    tenantId: TenantId,
    channelId: string,
    condition: ChannelCondition,
  ): Promise<ChannelRow | null> {
    const kept = this.#all.channel(tenantId, channelId);
    if (kept === undefined) return null;
    await condition(kept.row);
    this.#all.kept = this.#all.kept.filter((each) => each !== kept);
    this.#all.sent = this.#all.sent.filter(({ row }) => row.channel_id !== channelId);
    return kept.row;
  }
}

class MemoryChannelMessages extends ChannelMessages {
  readonly #all: FakeChannels;

  constructor(all: FakeChannels) {
    super();
    this.#all = all;
  }

  override async note(tenantId: TenantId, changes: readonly ApprovalChange[]): Promise<void> {
    for (const { approval_id, asks } of changes) {
      const its = this.#all.sent.filter((each) => each.tenant_id === tenantId && each.row.approval_id === approval_id);
      const active = this.#all.kept.filter((each) => each.tenant_id === tenantId && each.row.state === 'active');
      const raised = asks
        ? its.filter((each) => active.some(({ row }) => row.channel_id === each.row.channel_id))
        : its;
      for (const each of raised) this.#raise(each);
      if (!asks) continue;
      for (const { row } of active)
        if (!its.some((each) => each.row.channel_id === row.channel_id)) this.#add(tenantId, row, approval_id);
    }
  }

  override async claim(limits: ClaimLimits): Promise<ChannelClaim[]> {
    const { now, sent, isPaused } = this.#all;
    if (isPaused) return [];
    const claims: ChannelClaim[] = [];
    for (const each of sent) {
      const busy = sent.filter(
        (other) => other.tenant_id === each.tenant_id && other.row.state === 'pending' && other.claim >= now,
      );
      const isDue =
        each.row.state === 'pending' && each.next_at <= now && each.claim < now && this.#isServed(each, limits.kinds);
      if (!isDue || claims.length >= limits.rows || busy.length >= limits.tenantMax) continue;
      each.claim = now + limits.claimMs;
      const { channel_id, approval_id } = each.row;
      claims.push({ tenant_id: each.tenant_id, channel_id, approval_id, claim: each.claim });
    }
    return claims;
  }

  override async open(claim: ChannelClaim): Promise<OpenMessage | null> {
    const kept = this.#claimed(claim);
    const channel = this.#all.channel(claim.tenant_id, claim.channel_id);
    if (kept === undefined || channel?.row.state !== 'active') return null;
    const { channel_id, kind, destination, api_url, settings, created_by } = channel.row;
    const { approval_id, reference, wanted, attempts } = kept.row;
    const { bot_token: sealed } = channel;
    return {
      ...{ channel_id, kind, destination, api_url, settings, created_by, bot_token: sealed },
      ...{ approval_id, reference, wanted, attempts },
    };
  }

  override async settle(claim: ChannelClaim, shown: number, end: MessageEnd): Promise<void> {
    const [kept, channel] = [this.#claimed(claim), this.#all.channel(claim.tenant_id, claim.channel_id)];
    if (kept === undefined || channel === undefined) return;
    const last_error = end.sent ? null : end.error;
    const ended = end.sent ? 'sent' : end.retryMs === null ? 'failed' : 'pending';
    const { row } = kept;
    kept.row = {
      ...row,
      ...(end.sent ? { sent: shown, reference: end.reference, attempts: 0 } : { attempts: row.attempts + 1 }),
      state: row.wanted > shown ? 'pending' : ended,
      last_error,
    };
    kept.claim = 0;
    kept.next_at = this.#all.now + (end.sent ? 0 : (end.retryMs ?? 0));
    kept.updated_at = this.#all.now;
    channel.row = { ...channel.row, last_error };
  }

  override async of(tenantId: TenantId, approvalId: string): Promise<MessageRow[]> {
    return this.#all.sent
      .filter(({ tenant_id, row }) => tenant_id === tenantId && row.approval_id === approvalId)
      .map(({ row }) => row);
  }

  override async prune(olderMs: number): Promise<number> {
    const before = this.#all.sent.length;
    this.#all.sent = this.#all.sent.filter(
      ({ row, updated_at }) => row.state === 'pending' || updated_at >= this.#all.now - olderMs,
    );
    return before - this.#all.sent.length;
  }

  #isServed({ tenant_id, row }: KeptMessage, kinds: ClaimLimits['kinds']): boolean {
    const channel = this.#all.channel(tenant_id, row.channel_id)?.row;
    return channel?.state === 'active' && kinds.includes(channel.kind);
  }

  #claimed({ tenant_id, channel_id, approval_id, claim }: ChannelClaim): KeptMessage | undefined {
    return this.#all.sent.find(
      (each) =>
        each.tenant_id === tenant_id &&
        each.row.channel_id === channel_id &&
        each.row.approval_id === approval_id &&
        each.claim === claim &&
        claim > this.#all.now &&
        each.row.state === 'pending',
    );
  }

  #raise(kept: KeptMessage): void {
    const wasPending = kept.row.state === 'pending';
    const attempts = wasPending ? kept.row.attempts : 0;
    kept.row = { ...kept.row, wanted: kept.row.wanted + 1, state: 'pending', attempts };
    if (!wasPending) kept.next_at = this.#all.now;
    kept.updated_at = this.#all.now;
  }

  #add(tenant_id: TenantId, { channel_id }: ChannelRow, approval_id: string): void {
    const { now } = this.#all;
    const rest = { wanted: 1, sent: 0, reference: null, state: 'pending', attempts: 0, last_error: null } as const;
    this.#all.sent.push({
      tenant_id,
      row: { channel_id, approval_id, ...rest },
      ...{ next_at: now, updated_at: now, claim: 0 },
    });
  }
}
