// SPDX-License-Identifier: Apache-2.0
import { Fault, type TenantId } from '@writ/contract';
import { badCursor } from '@writ/paging';
import { newId } from '@writ/nest-kit';
import {
  Deliveries,
  type DeliveryClaim,
  type DeliveryEnd,
  type DeliveryRow,
  type Message,
  type OpenDelivery,
} from '../store/webhooks/deliveries.ts';
import {
  Webhooks,
  type NewWebhook,
  type WebhookChange,
  type WebhookCondition,
  type WebhookRow,
} from '../store/webhooks/webhooks.ts';

type Page = { readonly cursor: string | null; readonly limit: number };
interface KeptWebhook {
  readonly tenant_id: string;
  row: WebhookRow;
  secrets: Buffer[];
}
interface KeptDelivery {
  readonly tenant_id: string;
  row: DeliveryRow;
  readonly body: string;
  claim: number;
}

function pageOf<T>(
  rows: readonly T[],
  { cursor, limit }: Page,
  idOf: (row: T) => string,
): { items: T[]; next_cursor: string | null } {
  const from = cursor === null ? 0 : rows.findIndex((row) => idOf(row) === cursor) + 1;
  if (cursor !== null && from === 0) throw badCursor();
  const items = rows.slice(from, from + limit);
  const last = items.at(-1);
  return { items, next_cursor: rows.length > from + limit && last !== undefined ? idOf(last) : null };
}

/** In-memory stores of webhooks and deliveries. */
export class FakeHooks {
  /** milliseconds; a test moves it */
  now = Date.now();
  /** nothing is claimed while it is set */
  isPaused = false;
  readonly kept: KeptWebhook[] = [];
  readonly sent: KeptDelivery[] = [];
  readonly webhooks: Webhooks = new FakeWebhooks(this);
  readonly deliveries: Deliveries = new FakeDeliveries(this);

  webhook(tenantId: string, webhookId: string): KeptWebhook | undefined {
    return this.kept.find(({ tenant_id, row }) => tenant_id === tenantId && row.webhook_id === webhookId);
  }
}

class FakeWebhooks extends Webhooks {
  readonly #all: FakeHooks;

  constructor(all: FakeHooks) {
    super();
    this.#all = all;
  }

  override async create(
    tenant_id: TenantId,
    { secret, ...webhook }: NewWebhook,
    countMax: number,
  ): Promise<WebhookRow> {
    if (this.#all.kept.filter((each) => each.tenant_id === tenant_id).length >= countMax)
      throw new Fault('limit.exceeded');
    const { now } = this.#all;
    const row: WebhookRow = {
      ...webhook,
      state: 'active',
      disabled_reason: null,
      failing_since: null,
      old_until: null,
      created_at: now,
      updated_at: now,
    };
    this.#all.kept.unshift({ tenant_id, row, secrets: [secret] });
    return row;
  }

  override async read(tenantId: TenantId, webhookId: string): Promise<WebhookRow | null> {
    const { row } = this.#all.webhook(tenantId, webhookId) ?? {};
    return row === undefined
      ? null
      : { ...row, old_until: (row.old_until ?? 0) > this.#all.now ? row.old_until : null };
  }

  override async list(tenantId: TenantId, page: Page): Promise<{ items: WebhookRow[]; next_cursor: string | null }> {
    return pageOf(
      this.#all.kept.filter(({ tenant_id }) => tenant_id === tenantId).map(({ row }) => row),
      page,
      ({ webhook_id }) => webhook_id,
    );
  }

  override async change(
    tenantId: TenantId,
    webhookId: string,
    change: WebhookChange,
    condition?: WebhookCondition,
  ): Promise<WebhookRow | null> {
    const kept = this.#all.webhook(tenantId, webhookId);
    if (kept === undefined) return null;
    await condition?.(kept.row);
    const disabled_reason = change.state === 'active' ? null : (kept.row.disabled_reason ?? 'asked');
    const failing_since = change.state === 'active' && kept.row.state === 'disabled' ? null : kept.row.failing_since;
    return (kept.row = { ...kept.row, ...change, disabled_reason, failing_since, updated_at: this.#all.now });
  }

  override async remove(
    tenantId: TenantId,
    webhookId: string,
    condition?: WebhookCondition,
  ): Promise<WebhookRow | null> {
    const kept = this.#all.webhook(tenantId, webhookId);
    if (kept === undefined) return null;
    await condition?.(kept.row);
    this.#all.kept.splice(this.#all.kept.indexOf(kept), 1);
    this.#all.sent.splice(0, Infinity, ...this.#all.sent.filter(({ row }) => row.webhook_id !== webhookId));
    return kept.row;
  }

  override async rotate(
    tenantId: TenantId,
    webhookId: string,
    secret: Buffer,
    overlapMs: number,
  ): Promise<WebhookRow | null> {
    const kept = this.#all.webhook(tenantId, webhookId);
    if (kept === undefined) return null;
    kept.secrets = [secret, ...kept.secrets.slice(0, 1)];
    return (kept.row = {
      ...kept.row,
      old_until: overlapMs > 0 ? this.#all.now + overlapMs : null,
      updated_at: this.#all.now,
    });
  }
}

class FakeDeliveries extends Deliveries {
  readonly #all: FakeHooks;

  constructor(all: FakeHooks) {
    super();
    this.#all = all;
  }

  override async fanOut(tenantId: TenantId, messages: readonly Message[]): Promise<void> {
    for (const message of messages) {
      for (const { row } of this.#all.kept.filter(
        (each) => each.tenant_id === tenantId && each.row.state === 'active' && each.row.events.includes(message.kind),
      )) {
        if (
          !this.#all.sent.some(
            (each) => each.row.webhook_id === row.webhook_id && each.row.message_id === message.message_id,
          )
        )
          this.#keep(tenantId, row, message);
      }
    }
  }

  override async add(tenantId: TenantId, webhookId: string, message: Message): Promise<DeliveryRow | null> {
    const webhook = this.#active(tenantId, webhookId);
    return webhook && this.#keep(tenantId, webhook, message);
  }

  override async list(
    tenantId: TenantId,
    webhookId: string,
    page: Page,
    state: DeliveryRow['state'] | null,
  ): Promise<{ items: DeliveryRow[]; next_cursor: string | null } | null> {
    if (this.#all.webhook(tenantId, webhookId) === undefined) return null;
    const rows = this.#all.sent
      .map(({ row }) => row)
      .filter((row) => row.webhook_id === webhookId && (state === null || row.state === state));
    return pageOf(rows, page, ({ delivery_id }) => delivery_id);
  }

  override async redeliver(tenantId: TenantId, webhookId: string, deliveryId: string): Promise<DeliveryRow | null> {
    if (this.#active(tenantId, webhookId) === null) return null;
    const kept = this.#all.sent.find(({ row }) => row.webhook_id === webhookId && row.delivery_id === deliveryId);
    if (kept === undefined) return null;
    kept.claim = 0;
    return (kept.row = { ...kept.row, state: 'pending', attempts: 0, next_at: this.#all.now, delivered_at: null });
  }

  override async claim({
    rows,
    tenantMax,
    claimMs,
  }: {
    rows: number;
    tenantMax: number;
    claimMs: number;
  }): Promise<DeliveryClaim[]> {
    const { now, sent, isPaused } = this.#all;
    if (isPaused) return [];
    const busy = (tenantId: string): number =>
      sent.filter((each) => each.tenant_id === tenantId && each.row.state === 'pending' && each.claim >= now).length;
    const claims: DeliveryClaim[] = [];
    for (const each of [...sent].reverse()) {
      const isDue =
        each.row.state === 'pending' &&
        (each.row.next_at ?? 0) <= now &&
        each.claim < now &&
        this.#all.webhook(each.tenant_id, each.row.webhook_id)?.row.state === 'active';
      if (!isDue || claims.length >= rows || busy(each.tenant_id) >= tenantMax) continue;
      each.claim = now + claimMs;
      claims.push({ tenant_id: each.tenant_id, delivery_id: each.row.delivery_id, claim: each.claim });
    }
    return claims;
  }

  override async open(claim: DeliveryClaim): Promise<OpenDelivery | null> {
    const kept = this.#claimed(claim);
    const webhook = kept && this.#all.webhook(kept.tenant_id, kept.row.webhook_id);
    if (kept === undefined || webhook?.row.state !== 'active') return null;
    const { webhook_id, message_id, kind, attempts } = kept.row;
    return {
      webhook_id,
      message_id,
      kind,
      attempts,
      body: kept.body,
      url: webhook.row.url,
      secrets: webhook.secrets.slice(0, (webhook.row.old_until ?? 0) > this.#all.now ? 2 : 1),
    };
  }

  override async settle(
    claim: DeliveryClaim,
    end: DeliveryEnd,
    failingMaxMs: number,
  ): Promise<Pick<WebhookRow, 'webhook_id' | 'disabled_reason'> | null> {
    const kept = this.#claimed(claim);
    const webhook = kept && this.#all.webhook(kept.tenant_id, kept.row.webhook_id);
    if (kept === undefined || webhook === undefined) return null;
    const { now } = this.#all;
    kept.claim = 0;
    const state = end.arrived ? 'delivered' : end.retryMs === null ? 'failed' : 'pending';
    kept.row = {
      ...kept.row,
      state,
      attempts: kept.row.attempts + 1,
      next_at: !end.arrived && end.retryMs !== null ? now + end.retryMs : null,
      last_status: end.status,
      last_error: end.arrived ? null : end.error,
      delivered_at: end.arrived ? now : null,
    };
    webhook.row = { ...webhook.row, failing_since: end.arrived ? null : (webhook.row.failing_since ?? now) };
    if (
      end.arrived ||
      webhook.row.state === 'disabled' ||
      !(end.disable || (webhook.row.failing_since ?? now) <= now - failingMaxMs)
    )
      return null;
    webhook.row = { ...webhook.row, state: 'disabled', disabled_reason: end.disable ? 'gone' : 'failing' };
    return { webhook_id: webhook.row.webhook_id, disabled_reason: webhook.row.disabled_reason };
  }

  override async prune(olderMs: number): Promise<number> {
    const { now, sent } = this.#all;
    const kept = sent.filter(({ row }) => row.state === 'pending' || row.created_at >= now - olderMs);
    const gone = sent.length - kept.length;
    sent.splice(0, Infinity, ...kept);
    return gone;
  }

  #keep(tenant_id: string, { webhook_id }: WebhookRow, { message_id, kind, body }: Message): DeliveryRow {
    const { now } = this.#all;
    const row: DeliveryRow = {
      delivery_id: newId('delivery'),
      webhook_id,
      message_id,
      kind,
      state: 'pending',
      attempts: 0,
      next_at: now,
      last_status: null,
      last_error: null,
      created_at: now,
      delivered_at: null,
    };
    this.#all.sent.unshift({ tenant_id, row, body, claim: 0 });
    return row;
  }

  #active(tenantId: string, webhookId: string): WebhookRow | null {
    const { row } = this.#all.webhook(tenantId, webhookId) ?? {};
    if (row?.state === 'disabled') throw new Fault('conflict', 'the webhook is disabled; enable it first');
    return row ?? null;
  }

  #claimed({ delivery_id, claim }: DeliveryClaim): KeptDelivery | undefined {
    return this.#all.sent.find(
      (each) =>
        each.row.delivery_id === delivery_id &&
        each.claim === claim &&
        each.claim > this.#all.now &&
        each.row.state === 'pending',
    );
  }
}
