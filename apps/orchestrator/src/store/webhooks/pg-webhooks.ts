// SPDX-License-Identifier: Apache-2.0
import { Fault, type TenantId } from '@writ/contract';
import { inTenant, type Client, type Pool } from '@writ/database';
import { Webhooks, type NewWebhook, type WebhookChange, type WebhookCondition, type WebhookRow } from './webhooks.ts';
import { pageOfRows, parseRowCursor } from '../row-cursor.ts';

/** All but the secrets. */
const COLUMNS =
  'webhook_id, name, url, events, state, disabled_reason, failing_since, CASE WHEN old_until > orchestrator.now_ms() THEN old_until END AS old_until, created_at, created_by, updated_at';

/** orchestrator.webhook. Row-level security shows only the tenant's rows. */
export class PgWebhooks extends Webhooks {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    super();
    this.#pool = pool;
  }

  override create(tenantId: TenantId, webhook: NewWebhook, countMax: number): Promise<WebhookRow> {
    return inTenant(this.#pool, tenantId, async (client) => {
      // Concurrent creations take turns, so that the count stays correct.
      await client.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`writ.webhooks.${tenantId}`]);
      const {
        rows: [count],
      } = await client.query<{ n: number }>('SELECT count(*) AS n FROM orchestrator.webhook');
      if ((count?.n ?? 0) >= countMax) throw new Fault('limit.exceeded', `a tenant has ${countMax} webhooks at most`);
      const { webhook_id, name, url, events, secret, created_by } = webhook;
      return (await oneOf(
        client,
        `INSERT INTO orchestrator.webhook (webhook_id, tenant_id, name, url, events, secret, created_by) VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING ${COLUMNS}`,
        [webhook_id, tenantId, name, url, events, secret, created_by],
      )) as WebhookRow;
    });
  }

  override read(tenantId: TenantId, webhookId: string): Promise<WebhookRow | null> {
    return inTenant(
      this.#pool,
      tenantId,
      (client) => oneOf(client, `SELECT ${COLUMNS} FROM orchestrator.webhook WHERE webhook_id = $1`, [webhookId]),
      { readOnly: true },
    );
  }

  override async list(
    tenantId: TenantId,
    { cursor, limit }: { cursor: string | null; limit: number },
  ): Promise<{ items: WebhookRow[]; next_cursor: string | null }> {
    const after = cursor === null ? null : parseRowCursor('webhook', cursor);
    const rows = await inTenant(
      this.#pool,
      tenantId,
      async (client) =>
        (
          await client.query<WebhookRow>(
            `SELECT ${COLUMNS} FROM orchestrator.webhook WHERE $1::bigint IS NULL OR (created_at, webhook_id) < ($1, $2) ORDER BY created_at DESC, webhook_id DESC LIMIT $3`,
            [after?.created_at ?? null, after?.id ?? null, limit + 1],
          )
        ).rows,
      { readOnly: true },
    );
    return pageOfRows(rows, limit, (row) => row.webhook_id);
  }

  override change(
    tenantId: TenantId,
    webhookId: string,
    { name, url, events, state }: WebhookChange,
    condition?: WebhookCondition,
  ): Promise<WebhookRow | null> {
    return this.#changed(tenantId, webhookId, condition, (client) =>
      oneOf(
        client,
        `UPDATE orchestrator.webhook SET name = $2, url = $3, events = $4, state = $5,
        disabled_reason = CASE WHEN $5 = 'active' THEN NULL ELSE coalesce(disabled_reason, 'asked') END,
        failing_since = CASE WHEN $5 = 'active' AND state = 'disabled' THEN NULL ELSE failing_since END, updated_at = orchestrator.now_ms()
      WHERE webhook_id = $1 RETURNING ${COLUMNS}`,
        [webhookId, name, url, events, state],
      ),
    );
  }

  override remove(tenantId: TenantId, webhookId: string, condition?: WebhookCondition): Promise<WebhookRow | null> {
    return this.#changed(tenantId, webhookId, condition, (client) =>
      oneOf(client, `DELETE FROM orchestrator.webhook WHERE webhook_id = $1 RETURNING ${COLUMNS}`, [webhookId]),
    );
  }

  override rotate(
    tenantId: TenantId,
    webhookId: string,
    secret: Buffer,
    overlapMs: number,
  ): Promise<WebhookRow | null> {
    return inTenant(this.#pool, tenantId, (client) =>
      oneOf(
        client,
        `UPDATE orchestrator.webhook SET old_secret = secret, old_until = orchestrator.now_ms() + $3, secret = $2,
        updated_at = orchestrator.now_ms() WHERE webhook_id = $1 RETURNING ${COLUMNS}`,
        [webhookId, secret, overlapMs],
      ),
    );
  }

  /** The row is locked from the comparison on. */
  #changed(
    tenantId: TenantId,
    webhookId: string,
    condition: WebhookCondition | undefined,
    change: (client: Client) => Promise<WebhookRow | null>,
  ): Promise<WebhookRow | null> {
    return inTenant(this.#pool, tenantId, async (client) => {
      if (condition === undefined) return await change(client);
      const lock = `SELECT ${COLUMNS} FROM orchestrator.webhook WHERE webhook_id = $1 FOR UPDATE`;
      const present = await oneOf(client, lock, [webhookId]);
      if (present === null) return null;
      await condition(present);
      return await change(client);
    });
  }
}

async function oneOf(client: Client, sql: string, values: readonly unknown[]): Promise<WebhookRow | null> {
  return (await client.query<WebhookRow>(sql, [...values])).rows[0] ?? null;
}
