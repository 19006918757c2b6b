// SPDX-License-Identifier: Apache-2.0
import { Fault, type Id, type TenantId } from '@writ/contract';
import { inTenant, type Client, type Pool } from '@writ/database';
import { newId } from '@writ/nest-kit';
import { orchestratorSql } from '../functions.ts';
import {
  Deliveries,
  type DeliveryClaim,
  type DeliveryEnd,
  type DeliveryRow,
  type Message,
  type OpenDelivery,
} from './deliveries.ts';
import type { WebhookRow } from './webhooks.ts';
import { pageOfRows, parseRowCursor } from '../row-cursor.ts';
import { fanOutMessages } from '../fan-out-messages.ts';

const COLUMNS = `delivery_id, webhook_id, message_id, kind, state, attempts, CASE WHEN state = 'pending' THEN next_at END AS next_at, last_status, last_error, created_at, delivered_at`;
/** Rows that one call deletes; the next call follows soon. */
const PRUNE_ROWS = 1_000;

/**
 * orchestrator.delivery. Row-level security shows only the tenant's rows. A function finds due deliveries of all
 * tenants and returns only ids.
 */
export class PgDeliveries extends Deliveries {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    super();
    this.#pool = pool;
  }

  override fanOut(tenantId: TenantId, messages: readonly Message[]): Promise<void> {
    return inTenant(this.#pool, tenantId, (client) => fanOutMessages(client, tenantId, messages));
  }

  override add(
    tenantId: TenantId,
    webhookId: string,
    { message_id, kind, body }: Message,
  ): Promise<DeliveryRow | null> {
    return inTenant(this.#pool, tenantId, async (client) => {
      if (!(await isActive(client, webhookId))) return null;
      return await oneOf(
        client,
        `INSERT INTO orchestrator.delivery (delivery_id, tenant_id, webhook_id, message_id, kind, body) VALUES ($1, $2, $3, $4, $5, $6) RETURNING ${COLUMNS}`,
        [newId('delivery'), tenantId, webhookId, message_id, kind, body],
      );
    });
  }

  override async list(
    tenantId: TenantId,
    webhookId: string,
    { cursor, limit }: { cursor: string | null; limit: number },
    state: DeliveryRow['state'] | null,
  ): Promise<{ items: DeliveryRow[]; next_cursor: string | null } | null> {
    const after = cursor === null ? null : parseRowCursor('delivery', cursor);
    const rows = await inTenant(
      this.#pool,
      tenantId,
      async (client) => {
        if (
          (await client.query('SELECT 1 FROM orchestrator.webhook WHERE webhook_id = $1', [webhookId])).rowCount === 0
        )
          return null;
        return (
          await client.query<DeliveryRow>(
            `SELECT ${COLUMNS} FROM orchestrator.delivery WHERE tenant_id = $1 AND webhook_id = $2 AND ($3::text IS NULL OR state = $3)
           AND ($4::bigint IS NULL OR (created_at, delivery_id) < ($4, $5)) ORDER BY created_at DESC, delivery_id DESC LIMIT $6`,
            [tenantId, webhookId, state, after?.created_at ?? null, after?.id ?? null, limit + 1],
          )
        ).rows;
      },
      { readOnly: true },
    );
    return rows && pageOfRows(rows, limit, (row) => row.delivery_id);
  }

  override redeliver(tenantId: TenantId, webhookId: string, deliveryId: string): Promise<DeliveryRow | null> {
    return inTenant(this.#pool, tenantId, async (client) => {
      if (!(await isActive(client, webhookId))) return null;
      return await oneOf(
        client,
        `UPDATE orchestrator.delivery SET state = 'pending', attempts = 0, next_at = orchestrator.now_ms(), claimed_until = 0, delivered_at = NULL
        WHERE webhook_id = $1 AND delivery_id = $2 RETURNING ${COLUMNS}`,
        [webhookId, deliveryId],
      );
    });
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
    return await orchestratorSql.claimDeliveries(this.#pool, { rows, tenant_max: tenantMax, claim_ms: claimMs });
  }

  override open({ tenant_id, delivery_id, claim }: DeliveryClaim): Promise<OpenDelivery | null> {
    return inTenant(
      this.#pool,
      tenant_id,
      async (client) => {
        const {
          rows: [row],
        } = await client.query<
          Message & {
            webhook_id: Id<'webhook'>;
            url: string;
            attempts: number;
            secret: Buffer;
            old_secret: Buffer | null;
          }
        >(
          `SELECT d.webhook_id, d.message_id, d.kind, d.body, d.attempts, w.url, w.secret, CASE WHEN w.old_until > orchestrator.now_ms() THEN w.old_secret END AS old_secret
         FROM orchestrator.delivery d JOIN orchestrator.webhook w ON w.webhook_id = d.webhook_id
         WHERE d.delivery_id = $1 AND d.claimed_until = $2 AND d.claimed_until > orchestrator.now_ms() AND d.state = 'pending' AND w.state = 'active'`,
          [delivery_id, claim],
        );
        if (row === undefined) return null;
        const { secret, old_secret, ...rest } = row;
        return { ...rest, secrets: old_secret === null ? [secret] : [secret, old_secret] };
      },
      { readOnly: true },
    );
  }

  override settle(
    claim: DeliveryClaim,
    end: DeliveryEnd,
    failingMaxMs: number,
  ): Promise<Pick<WebhookRow, 'webhook_id' | 'disabled_reason'> | null> {
    return inTenant(this.#pool, claim.tenant_id, async (client) => {
      const webhookId = await settleDelivery(client, claim, end);
      return webhookId === null ? null : await settleWebhook(client, webhookId, end, failingMaxMs);
    });
  }

  override async prune(olderMs: number): Promise<number> {
    return await orchestratorSql.pruneDeliveries(this.#pool, { older_ms: olderMs, rows: PRUNE_ROWS });
  }
}

async function settleDelivery(
  client: Client,
  { delivery_id, claim }: DeliveryClaim,
  end: DeliveryEnd,
): Promise<string | null> {
  const state = end.arrived ? 'delivered' : end.retryMs === null ? 'failed' : 'pending';
  const {
    rows: [row],
  } = await client.query<{ webhook_id: string }>(
    `UPDATE orchestrator.delivery SET state = $3, attempts = attempts + 1, claimed_until = 0, next_at = orchestrator.now_ms() + $4, last_status = $5, last_error = $6,
       delivered_at = CASE WHEN $3 = 'delivered' THEN orchestrator.now_ms() END
     WHERE delivery_id = $1 AND claimed_until = $2 AND claimed_until > orchestrator.now_ms() AND state = 'pending' RETURNING webhook_id`,
    [delivery_id, claim, state, end.arrived ? 0 : (end.retryMs ?? 0), end.status, end.arrived ? null : end.error],
  );
  return row?.webhook_id ?? null;
}

async function settleWebhook(
  client: Client,
  webhookId: string,
  end: DeliveryEnd,
  failingMaxMs: number,
): Promise<Pick<WebhookRow, 'webhook_id' | 'disabled_reason'> | null> {
  if (end.arrived) {
    await client.query(
      'UPDATE orchestrator.webhook SET failing_since = NULL WHERE webhook_id = $1 AND failing_since IS NOT NULL',
      [webhookId],
    );
    return null;
  }
  await client.query(
    'UPDATE orchestrator.webhook SET failing_since = orchestrator.now_ms() WHERE webhook_id = $1 AND failing_since IS NULL',
    [webhookId],
  );
  const {
    rows: [disabled],
  } = await client.query<Pick<WebhookRow, 'webhook_id' | 'disabled_reason'>>(
    `UPDATE orchestrator.webhook SET state = 'disabled', disabled_reason = CASE WHEN $2 THEN 'gone' ELSE 'failing' END, updated_at = orchestrator.now_ms()
     WHERE webhook_id = $1 AND state = 'active' AND ($2 OR failing_since <= orchestrator.now_ms() - $3::bigint) RETURNING webhook_id, disabled_reason`,
    [webhookId, end.disable, failingMaxMs],
  );
  return disabled ?? null;
}

/** False where the tenant has no such webhook. Fault `conflict` for one that is disabled. */
async function isActive(client: Client, webhookId: string): Promise<boolean> {
  const {
    rows: [row],
  } = await client.query<{ state: WebhookRow['state'] }>(
    'SELECT state FROM orchestrator.webhook WHERE webhook_id = $1 FOR KEY SHARE',
    [webhookId],
  );
  if (row?.state === 'disabled') throw new Fault('conflict', 'the webhook is disabled; enable it first');
  return row !== undefined;
}

async function oneOf(client: Client, sql: string, values: readonly unknown[]): Promise<DeliveryRow | null> {
  return (await client.query<DeliveryRow>(sql, [...values])).rows[0] ?? null;
}
