// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import { inTenant, type Pool } from '@writ/database';
import {
  decidePoll,
  DeviceAuthorizations,
  type AskingDevice,
  type NewApproval,
  type NewDevice,
  type Poll,
  type PolledDevice,
  type RedeemTimes,
} from './device-authorizations.ts';
import { holdInForce, insertSignIn } from './pg-sign-ins.ts';
import type { NewSignIn } from './sign-ins.ts';

/** Devices that ask, in Postgres. Row-level security shows the tenant's rows. */
export class PgDeviceAuthorizations extends DeviceAuthorizations {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    super();
    this.#pool = pool;
  }

  override async create(
    tenantId: TenantId,
    device: NewDevice,
    { lifetimeMs, intervalMs }: { readonly lifetimeMs: number; readonly intervalMs: number },
  ): Promise<boolean> {
    return await inTenant(this.#pool, tenantId, async (client) => {
      const { rowCount } = await client.query(
        `INSERT INTO orchestrator.device_authorization
           (device_hash, tenant_id, user_code_hash, client, address, expires_at, interval_ms)
         VALUES ($1, $2, $3, $4, $5, orchestrator.now_ms() + $6, $7) ON CONFLICT (tenant_id, user_code_hash) DO NOTHING`,
        [device.device_hash, tenantId, device.user_code_hash, device.client, device.address, lifetimeMs, intervalMs],
      );
      return rowCount === 1;
    });
  }

  override async asking(tenantId: TenantId, userCodeHash: Buffer): Promise<AskingDevice | null> {
    const { rows } = await inTenant(
      this.#pool,
      tenantId,
      (client) =>
        client.query<AskingDevice>(
          `SELECT client, address, created_at FROM orchestrator.device_authorization
           WHERE user_code_hash = $1 AND state = 'asked' AND expires_at > orchestrator.now_ms()`,
          [userCodeHash],
        ),
      { readOnly: true },
    );
    return rows[0] ?? null;
  }

  override async decide(tenantId: TenantId, userCodeHash: Buffer, approval: NewApproval | null): Promise<boolean> {
    return await inTenant(this.#pool, tenantId, async (client) => {
      if (approval !== null && !(await holdInForce(client, approval.approved_by, null))) return false;
      const { rowCount } = await client.query(
        `UPDATE orchestrator.device_authorization
         SET approval = $2, person_id = $3, state = CASE WHEN $2::text IS NULL THEN 'denied' ELSE 'approved' END
         WHERE user_code_hash = $1 AND state = 'asked' AND expires_at > orchestrator.now_ms()`,
        [userCodeHash, approval?.sealed ?? null, approval?.person_id ?? null],
      );
      return rowCount === 1;
    });
  }

  override async poll(tenantId: TenantId, deviceHash: Buffer, client: string): Promise<Poll> {
    return await inTenant(this.#pool, tenantId, async (connection) => {
      const { rows } = await connection.query<PolledDevice>(
        `SELECT state, approval, expires_at - orchestrator.now_ms() AS left_ms,
           orchestrator.now_ms() - polled_at AS polled_ms, interval_ms
         FROM orchestrator.device_authorization WHERE device_hash = $1 AND client = $2 FOR UPDATE`,
        [deviceHash, client],
      );
      const [device] = rows;
      if (device === undefined) return { answer: 'unknown' };
      const { poll, interval_ms } = decidePoll(device);
      await connection.query(
        'UPDATE orchestrator.device_authorization SET polled_at = orchestrator.now_ms(), interval_ms = $2 WHERE device_hash = $1',
        [deviceHash, interval_ms],
      );
      return poll;
    });
  }

  override async redeem(
    tenantId: TenantId,
    deviceHash: Buffer,
    session: NewSignIn,
    times: RedeemTimes,
  ): Promise<boolean> {
    return await inTenant(this.#pool, tenantId, async (client) => {
      const isHeld = session.approved_by !== null && (await holdInForce(client, session.approved_by, times.idleMs));
      const { rowCount } = await client.query(
        `UPDATE orchestrator.device_authorization SET state = 'used', approval = NULL, person_id = NULL
         WHERE device_hash = $1 AND state = 'approved' AND expires_at > orchestrator.now_ms()`,
        [deviceHash],
      );
      if (rowCount !== 1 || !isHeld) return false;
      await insertSignIn(client, tenantId, session, times);
      return true;
    });
  }
}
