// SPDX-License-Identifier: Apache-2.0
import type { Id, TenantId } from '@writ/contract';
import { inTenant, type Client, type Pool } from '@writ/database';
import { orchestratorSql } from '../functions.ts';
import type { MemberRow } from './members.ts';
import { Offboardings, type OpenOffboarding } from './offboardings.ts';
import { holdMember, verifyOthersLast, wakeRuns } from './pg-members.ts';

/** Offboardings in Postgres. Row-level security shows the tenant's rows. */
export class PgOffboardings extends Offboardings {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    super();
    this.#pool = pool;
  }

  override async begin(
    tenantId: TenantId,
    memberId: string,
    by: string,
    before: () => Promise<void>,
  ): Promise<MemberRow | null> {
    return await inTenant(this.#pool, tenantId, async (client) => {
      const member = await holdMember(client, memberId);
      if (member === null || member.state === 'offboarded') return member;
      await verifyOthersLast(client, memberId);
      await before();
      await client.query(
        `UPDATE orchestrator.member SET state = 'offboarded', changed_at = orchestrator.now_ms(), changed_by = $2
         WHERE member_id = $1`,
        [memberId, by],
      );
      await client.query('INSERT INTO orchestrator.offboarding (member_id, tenant_id, begun_by) VALUES ($1, $2, $3)', [
        memberId,
        tenantId,
        by,
      ]);
      await denySubjects(client, tenantId, member, by);
      await wakeRuns(client, memberId);
      return await holdMember(client, memberId);
    });
  }

  override async keysOf(tenantId: TenantId, memberId: string, limit: number): Promise<Id<'apiKey'>[]> {
    return await inTenant(this.#pool, tenantId, async (client) => {
      await holdMember(client, memberId);
      const { rows } = await client.query<{ api_key_id: Id<'apiKey'> }>(
        `SELECT api_key_id FROM orchestrator.api_key WHERE member_id = $1 AND revoked_at IS NULL
         ORDER BY random() LIMIT $2`,
        [memberId, limit],
      );
      return rows.map(({ api_key_id }) => api_key_id);
    });
  }

  override async principalsOf(
    tenantId: TenantId,
    memberId: string,
    { after, limit }: { readonly after: string | null; readonly limit: number },
  ): Promise<string[]> {
    const { rows } = await inTenant(
      this.#pool,
      tenantId,
      (client) =>
        client.query<{ principal: string }>(
          `SELECT DISTINCT principal FROM orchestrator.api_key WHERE member_id = $1 AND principal IS NOT NULL
             AND ($2::text IS NULL OR principal > $2) ORDER BY principal LIMIT $3`,
          [memberId, after, limit],
        ),
      { readOnly: true },
    );
    return rows.map(({ principal }) => principal);
  }

  override async pauseJobs(tenantId: TenantId, memberId: string): Promise<Id<'job'>[]> {
    const { rows } = await inTenant(this.#pool, tenantId, (client) =>
      client.query<{ job_id: Id<'job'> }>(
        `UPDATE orchestrator.job SET state = 'paused', due_at = NULL WHERE state = 'active' AND changed_by IN
           (SELECT k.api_key_id FROM orchestrator.api_key k WHERE k.member_id = $1) RETURNING job_id`,
        [memberId],
      ),
    );
    return rows.map(({ job_id }) => job_id);
  }

  override async tried(tenantId: TenantId, memberId: string): Promise<void> {
    await inTenant(this.#pool, tenantId, (client) =>
      client.query('UPDATE orchestrator.offboarding SET tried_at = orchestrator.now_ms() WHERE member_id = $1', [
        memberId,
      ]),
    );
  }

  override async end(tenantId: TenantId, memberId: string): Promise<void> {
    await inTenant(this.#pool, tenantId, (client) =>
      client.query(
        'UPDATE orchestrator.offboarding SET ended_at = orchestrator.now_ms() WHERE member_id = $1 AND ended_at IS NULL',
        [memberId],
      ),
    );
  }

  override async open(rows: number): Promise<OpenOffboarding[]> {
    return await orchestratorSql.openOffboardings(this.#pool, { rows });
  }
}

/** A denial outlives the member and its registration. Sessions of a denied subject are refused. */
async function denySubjects(
  client: Client,
  tenantId: TenantId,
  { member_id, person_id }: MemberRow,
  by: string,
): Promise<void> {
  const theirs = '(SELECT i.subject_hash FROM orchestrator.member_identity i WHERE i.member_id = $1)';
  await client.query(
    `INSERT INTO orchestrator.token_denial (provider_id, tenant_id, kind, value_hash, denied_by)
     SELECT i.provider_id, $2, 'subject', i.subject_hash, $3 FROM orchestrator.member_identity i
     WHERE i.member_id = $1 ON CONFLICT DO NOTHING`,
    [member_id, tenantId, by],
  );
  await client.query(
    `UPDATE orchestrator.sign_in_session SET ended_at = orchestrator.now_ms(), ended_by = $2
     WHERE ended_at IS NULL AND subject_hash IN ${theirs}`,
    [member_id, by],
  );
  await client.query(`DELETE FROM orchestrator.browser_session WHERE subject_hash IN ${theirs}`, [member_id]);
  await client.query('DELETE FROM orchestrator.device_authorization WHERE person_id = $1', [person_id]);
}
