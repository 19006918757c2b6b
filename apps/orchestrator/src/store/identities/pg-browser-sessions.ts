// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import { inTenant, type Pool } from '@writ/database';
import { BrowserSessions, type BrowserSessionRow } from './browser-sessions.ts';

/** Sessions that one new session removes at most, so that none waits for a long deletion. */
const OVER_MAX = 100;

/** Sessions of browsers in Postgres. Row-level security shows the tenant's rows. */
export class PgBrowserSessions extends BrowserSessions {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    super();
    this.#pool = pool;
  }

  override async create(tenantId: TenantId, session: BrowserSessionRow, lifetimeMs: number): Promise<void> {
    await inTenant(this.#pool, tenantId, async (client) => {
      await client.query(
        `DELETE FROM orchestrator.browser_session WHERE session_hash IN (
           SELECT session_hash FROM orchestrator.browser_session
           WHERE tenant_id = $1 AND expires_at <= orchestrator.now_ms() LIMIT $2)`,
        [tenantId, OVER_MAX],
      );
      await client.query(
        `INSERT INTO orchestrator.browser_session (session_hash, tenant_id, provider_id, subject_hash, shown, expires_at)
         VALUES ($1, $2, $3, $4, $5, orchestrator.now_ms() + $6)`,
        [
          session.session_hash,
          tenantId,
          session.provider_id,
          Buffer.from(session.subject_hash),
          session.shown,
          lifetimeMs,
        ],
      );
    });
  }

  override async find(tenantId: TenantId, sessionHash: Uint8Array): Promise<BrowserSessionRow | null> {
    const { rows } = await inTenant(
      this.#pool,
      tenantId,
      (client) =>
        client.query<BrowserSessionRow>(
          `SELECT s.session_hash, s.provider_id, s.subject_hash, s.shown
           FROM orchestrator.browser_session s JOIN orchestrator.identity_provider p USING (provider_id)
           WHERE s.session_hash = $1 AND s.expires_at > orchestrator.now_ms()
             AND p.removed_at IS NULL AND p.sign_in_client_id IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM orchestrator.token_denial d
               WHERE d.tenant_id = s.tenant_id AND d.kind = 'subject' AND d.value_hash = s.subject_hash)`,
          [Buffer.from(sessionHash)],
        ),
      { readOnly: true },
    );
    return rows[0] ?? null;
  }

  override async end(tenantId: TenantId, sessionHash: Uint8Array): Promise<void> {
    await inTenant(this.#pool, tenantId, (client) =>
      client.query('DELETE FROM orchestrator.browser_session WHERE session_hash = $1', [Buffer.from(sessionHash)]),
    );
  }
}
