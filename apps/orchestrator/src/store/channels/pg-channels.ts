// SPDX-License-Identifier: Apache-2.0
import { Fault, type TenantId } from '@writ/contract';
import { inTenant, type Client, type Pool } from '@writ/database';
import { pageOfRows, parseRowCursor } from '../row-cursor.ts';
import { Channels, type ChannelChange, type ChannelCondition, type ChannelRow, type NewChannel } from './channels.ts';

/** All but the token. */
const COLUMNS =
  'channel_id, name, kind, destination, api_url, settings, state, last_error, created_at, created_by, updated_at';

/** orchestrator.channel. Row-level security shows only the tenant's rows. */
export class PgChannels extends Channels {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    super();
    this.#pool = pool;
  }

  override create(tenantId: TenantId, channel: NewChannel, countMax: number): Promise<ChannelRow> {
    return inTenant(this.#pool, tenantId, async (client) => {
      // Concurrent creations take turns, so that the count stays correct.
      await client.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`writ.channels.${tenantId}`]);
      const {
        rows: [count],
      } = await client.query<{ n: number }>('SELECT count(*) AS n FROM orchestrator.channel');
      if ((count?.n ?? 0) >= countMax) throw new Fault('limit.exceeded', `a tenant has ${countMax} channels at most`);
      const { channel_id, name, kind, destination, api_url, settings, bot_token, created_by } = channel;
      return (await oneOf(
        client,
        `INSERT INTO orchestrator.channel (channel_id, tenant_id, name, kind, destination, api_url, settings, bot_token, created_by)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING ${COLUMNS}`,
        [channel_id, tenantId, name, kind, destination, api_url, settings, bot_token, created_by],
      )) as ChannelRow;
    });
  }

  override read(tenantId: TenantId, channelId: string): Promise<ChannelRow | null> {
    const sql = `SELECT ${COLUMNS} FROM orchestrator.channel WHERE channel_id = $1`;
    return inTenant(this.#pool, tenantId, (client) => oneOf(client, sql, [channelId]), { readOnly: true });
  }

  override async list(
    tenantId: TenantId,
    { cursor, limit }: { cursor: string | null; limit: number },
  ): Promise<{ items: ChannelRow[]; next_cursor: string | null }> {
    const after = cursor === null ? null : parseRowCursor('channel', cursor);
    const sql = `SELECT ${COLUMNS} FROM orchestrator.channel WHERE $1::bigint IS NULL OR (created_at, channel_id) < ($1, $2)
      ORDER BY created_at DESC, channel_id DESC LIMIT $3`;
    const values = [after?.created_at ?? null, after?.id ?? null, limit + 1];
    const { rows } = await inTenant(this.#pool, tenantId, (client) => client.query<ChannelRow>(sql, values), {
      readOnly: true,
    });
    return pageOfRows(rows, limit, (row) => row.channel_id);
  }

  override change(
    tenantId: TenantId,
    channelId: string,
    { name, state, destination, api_url, settings, bot_token }: ChannelChange,
    condition: ChannelCondition,
  ): Promise<ChannelRow | null> {
    return this.#changed(tenantId, channelId, condition, (client) =>
      oneOf(
        client,
        `UPDATE orchestrator.channel SET name = coalesce($2, name), state = coalesce($3, state),
           destination = coalesce($4, destination), api_url = coalesce($5, api_url), bot_token = coalesce($6, bot_token),
           settings = CASE WHEN $7::jsonb IS NULL THEN settings ELSE settings || $7::jsonb END,
           last_error = CASE WHEN $3::text IS NULL AND $4::text IS NULL AND $5::text IS NULL
             AND $6::bytea IS NULL AND $7::jsonb IS NULL THEN last_error END,
           updated_at = orchestrator.now_ms()
         WHERE channel_id = $1 RETURNING ${COLUMNS}`,
        [channelId, name, state, destination, api_url, bot_token, settings],
      ),
    );
  }

  override remove(tenantId: TenantId, channelId: string, condition: ChannelCondition): Promise<ChannelRow | null> {
    const sql = `DELETE FROM orchestrator.channel WHERE channel_id = $1 RETURNING ${COLUMNS}`;
    return this.#changed(tenantId, channelId, condition, (client) => oneOf(client, sql, [channelId]));
  }

  /** The row is locked from the comparison on. */
  #changed(
    tenantId: TenantId,
    channelId: string,
    condition: ChannelCondition,
    change: (client: Client) => Promise<ChannelRow | null>,
  ): Promise<ChannelRow | null> {
    return inTenant(this.#pool, tenantId, async (client) => {
      const lock = `SELECT ${COLUMNS} FROM orchestrator.channel WHERE channel_id = $1 FOR UPDATE`;
      const present = await oneOf(client, lock, [channelId]);
      if (present === null) return null;
      await condition(present);
      return await change(client);
    });
  }
}

async function oneOf(client: Client, sql: string, values: readonly unknown[]): Promise<ChannelRow | null> {
  return (await client.query<ChannelRow>(sql, [...values])).rows[0] ?? null;
}
