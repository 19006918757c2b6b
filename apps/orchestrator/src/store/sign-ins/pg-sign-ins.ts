// SPDX-License-Identifier: Apache-2.0
import type { Id, TenantId } from '@writ/contract';
import { inTenant, type Client, type Pool } from '@writ/database';
import { orchestratorSql } from '../functions.ts';
import { pageOfRows, parseRowCursor } from '../row-cursor.ts';
import { SignIns, type ListedSignIn, type NewSignIn, type SignInRow, type SignInsOf } from './sign-ins.ts';

/** Rows of each kind that one pass deletes at most, so that none holds many locks. */
const PRUNE_ROWS = 10_000;

/**
 * A session has groups of the registered claim where the person signed in so long after that claim changed, in
 * milliseconds: a replica may have read the token of a sign-in by the registration before.
 */
const GROUPS_AFTER_MS = 10_000;

const LISTED = `s.sign_in_id, s.kind, s.client, s.person_id, p.name AS provider, s.created_at, s.signed_in_at, s.seen_at,
  s.expires_at, s.ended_at, s.ended_by
  FROM orchestrator.sign_in_session s JOIN orchestrator.identity_provider p USING (provider_id)`;

/**
 * A session that its holder may use: `s` of the provider `p` at the time `n.now`.
 * @param idle the parameter with the longest time without use; null: any
 */
const inForce = (idle: string): string => `s.ended_at IS NULL AND s.expires_at > n.now
  AND (${idle}::bigint IS NULL OR s.seen_at + ${idle} > n.now)
  AND p.removed_at IS NULL AND p.sign_in_client_id IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM orchestrator.token_denial d
    WHERE d.tenant_id = s.tenant_id AND d.kind = 'subject' AND d.value_hash = s.subject_hash)`;

/** Sign-in sessions in Postgres. Row-level security shows the tenant's rows. */
export class PgSignIns extends SignIns {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    super();
    this.#pool = pool;
  }

  override async create(tenantId: TenantId, session: NewSignIn, maxMs: number): Promise<void> {
    await inTenant(this.#pool, tenantId, async (client) => {
      const { rows } = await client.query<{ now: number }>('SELECT orchestrator.now_ms() AS now');
      const signed_in_at = rows[0]?.now ?? 0;
      await insertSignIn(client, tenantId, session, { signed_in_at, expires_at: signed_in_at + maxMs });
    });
  }

  override async find(tenantId: TenantId, signInId: string, idleMs: number): Promise<SignInRow | null> {
    const { rows } = await inTenant(
      this.#pool,
      tenantId,
      (client) =>
        client.query<SignInRow>(
          `SELECT s.sign_in_id, s.kind, s.client, s.approved_by, s.provider_id, s.subject_hash, s.person_id,
             s.credential_id, s.scopes, CASE WHEN s.signed_in_at >= p.groups_since + $3 THEN s.groups ELSE '{}' END AS groups,
             s.sealed, s.secret_hash, s.next_hash, s.before_hash,
             coalesce(s.before_until - n.now, 0) AS before_ms, n.now - s.rotated_at AS secret_ms,
             n.now - s.authenticated_at AS authenticated_ms, n.now - s.seen_at AS idle_ms, s.signed_in_at, s.expires_at
           FROM orchestrator.sign_in_session s JOIN orchestrator.identity_provider p USING (provider_id),
             (SELECT orchestrator.now_ms() AS now) AS n
           WHERE s.sign_in_id = $1 AND ${inForce('$2')}`,
          [signInId, idleMs, GROUPS_AFTER_MS],
        ),
      { readOnly: true },
    );
    return rows[0] ?? null;
  }

  override async offer(tenantId: TenantId, signInId: string, secret_hash: Buffer, next_hash: Buffer): Promise<void> {
    await this.#change(
      tenantId,
      `UPDATE orchestrator.sign_in_session SET next_hash = $3
       WHERE sign_in_id = $1 AND secret_hash = $2 AND next_hash IS NULL AND ended_at IS NULL`,
      [signInId, secret_hash, next_hash],
    );
  }

  override async rotate(tenantId: TenantId, signInId: string, next_hash: Buffer, graceMs: number): Promise<void> {
    await this.#change(
      tenantId,
      `UPDATE orchestrator.sign_in_session SET before_hash = secret_hash,
         before_until = orchestrator.now_ms() + $3, secret_hash = next_hash, next_hash = NULL,
         rotated_at = orchestrator.now_ms(), seen_at = orchestrator.now_ms()
       WHERE sign_in_id = $1 AND next_hash = $2 AND ended_at IS NULL`,
      [signInId, next_hash, graceMs],
    );
  }

  override async touch(tenantId: TenantId, signInId: string): Promise<void> {
    await this.#change(
      tenantId,
      'UPDATE orchestrator.sign_in_session SET seen_at = orchestrator.now_ms() WHERE sign_in_id = $1 AND ended_at IS NULL',
      [signInId],
    );
  }

  override async end(
    tenantId: TenantId,
    signInId: string,
    { by, of }: { readonly by: string; readonly of: SignInsOf },
  ): Promise<ListedSignIn | null> {
    return await inTenant(this.#pool, tenantId, async (client) => {
      if ((await readSignIn(client, signInId, of)) === null) return null;
      await endRows(client, [signInId], by);
      return await readSignIn(client, signInId, of);
    });
  }

  override async endWithApproved(
    tenantId: TenantId,
    signInId: string,
    { by, recorded }: { readonly by: string; readonly recorded: ReadonlySet<string> },
  ): Promise<readonly Id<'signIn'>[]> {
    return await inTenant(this.#pool, tenantId, async (client) => {
      // Waits for what the session approves meanwhile, so that the next statement sees it.
      await client.query('SELECT 1 FROM orchestrator.sign_in_session WHERE sign_in_id = $1 FOR UPDATE', [signInId]);
      const { rows } = await client.query<{ sign_in_id: Id<'signIn'> }>(
        'SELECT sign_in_id FROM orchestrator.sign_in_session WHERE approved_by = $1 AND ended_at IS NULL',
        [signInId],
      );
      const approved = rows.map(({ sign_in_id }) => sign_in_id);
      const unrecorded = approved.filter((id) => !recorded.has(id));
      if (unrecorded.length === 0) await endRows(client, [signInId, ...approved], by);
      return unrecorded;
    });
  }

  override async read(tenantId: TenantId, signInId: string, of: SignInsOf): Promise<ListedSignIn | null> {
    return await inTenant(this.#pool, tenantId, (client) => readSignIn(client, signInId, of), { readOnly: true });
  }

  override async list(
    tenantId: TenantId,
    of: SignInsOf,
    { cursor, limit }: { readonly cursor: string | null; readonly limit: number },
  ): Promise<{ items: ListedSignIn[]; next_cursor: string | null }> {
    const after = cursor === null ? null : parseRowCursor('signIn', cursor);
    const { rows } = await inTenant(
      this.#pool,
      tenantId,
      (client) =>
        client.query<ListedSignIn>(
          `SELECT ${LISTED}
           WHERE s.expires_at > orchestrator.now_ms() AND ($1::bytea IS NULL OR s.subject_hash = $1)
             AND ($2::bigint IS NULL OR (s.created_at, s.sign_in_id) < ($2, $3))
           ORDER BY s.created_at DESC, s.sign_in_id DESC LIMIT $4`,
          [subjectOf(of), after?.created_at ?? null, after?.id ?? null, limit + 1],
        ),
      { readOnly: true },
    );
    return pageOfRows(rows, limit, ({ sign_in_id }) => sign_in_id);
  }

  override async prune(): Promise<number> {
    return await orchestratorSql.pruneSignIns(this.#pool, { rows: PRUNE_ROWS });
  }

  async #change(tenantId: TenantId, text: string, values: unknown[]): Promise<void> {
    await inTenant(this.#pool, tenantId, (client) => client.query(text, values));
  }
}

async function endRows(client: Client, signInIds: readonly string[], by: string): Promise<void> {
  await client.query(
    `UPDATE orchestrator.sign_in_session SET ended_at = orchestrator.now_ms(), ended_by = $2
     WHERE sign_in_id = ANY ($1) AND ended_at IS NULL`,
    [signInIds, by],
  );
}

const subjectOf = (of: SignInsOf): Buffer | null => (of === 'tenant' ? null : Buffer.from(of.subject_hash));

async function readSignIn(client: Client, signInId: string, of: SignInsOf): Promise<ListedSignIn | null> {
  const { rows } = await client.query<ListedSignIn>(
    `SELECT ${LISTED} WHERE s.sign_in_id = $1 AND ($2::bytea IS NULL OR s.subject_hash = $2)`,
    [signInId, subjectOf(of)],
  );
  return rows[0] ?? null;
}

/**
 * Whether the session is in force; it stays so until the transaction ends.
 * @param idleMs null: for however long it was idle
 */
export async function holdInForce(client: Client, signInId: string, idleMs: number | null): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT 1 FROM orchestrator.sign_in_session s JOIN orchestrator.identity_provider p USING (provider_id),
       (SELECT orchestrator.now_ms() AS now) AS n
     WHERE s.sign_in_id = $1 AND ${inForce('$2')} FOR SHARE OF s`,
    [signInId, idleMs],
  );
  return rowCount === 1;
}

/** Stores a new session of a person who was at the identity provider at that time. */
export async function insertSignIn(
  client: Client,
  tenantId: TenantId,
  session: NewSignIn,
  { signed_in_at, expires_at }: { readonly signed_in_at: number; readonly expires_at: number },
): Promise<void> {
  await client.query(
    `INSERT INTO orchestrator.sign_in_session (sign_in_id, tenant_id, kind, client, approved_by, provider_id,
       subject_hash, person_id, credential_id, scopes, sealed, secret_hash, authenticated_at, signed_in_at, expires_at,
       groups)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, orchestrator.now_ms() - $13::bigint, $14, $15, $16)`,
    [
      session.sign_in_id,
      tenantId,
      session.kind,
      session.client,
      session.approved_by,
      session.provider_id,
      session.subject_hash,
      session.person_id,
      session.credential_id,
      session.scopes,
      session.sealed,
      session.secret_hash,
      session.authenticated_ms,
      signed_in_at,
      expires_at,
      session.groups,
    ],
  );
}
