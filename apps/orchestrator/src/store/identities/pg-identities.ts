// SPDX-License-Identifier: Apache-2.0
import { Fault, isId, type Id, type TenantId } from '@writ/contract';
import { inTenant, type Client, type Pool } from '@writ/database';
import { orchestratorSql } from '../functions.ts';
import type { NewKey } from '../keys/api-keys.ts';
import { NOT_ACTIVE } from '../keys/principals.ts';
import {
  Identities,
  needsConfirmation,
  UNCONFIRMED,
  verifySamePersons,
  type CredentialRow,
  type CredentialSelector,
  type NewCredential,
  type DenialKind,
  type NewProvider,
  type ProviderCondition,
  type PersonRow,
  type ProviderInForce,
  type ProviderRow,
} from './identities.ts';
import { change, insert, rowsOf, verifyCount, verifyUnambiguous } from './provider-rows.ts';

/** Identity providers, credentials, denials and persons in Postgres. Row-level security shows the tenant's rows. */
export class PgIdentities extends Identities {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    super();
    this.#pool = pool;
  }

  override providersOf(issuer: string): Promise<ProviderInForce[]> {
    return orchestratorSql.registrationsInForce(this.#pool, { issuer });
  }

  override put(
    tenantId: TenantId,
    provider: NewProvider,
    countMax: number,
    condition?: ProviderCondition,
  ): Promise<ProviderRow> {
    return inTenant(this.#pool, tenantId, async (client) => {
      // Registrations of one issuer take turns, whoever makes them, so that its tokens stay unambiguous.
      await client.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`writ.issuer.${provider.issuer}`]);
      // Another change of it, and its removal, wait for the row.
      const [named] = await rowsOf(client, 'name = $1 AND removed_at IS NULL FOR UPDATE', [provider.name]);
      await condition?.(named ?? null);
      if (!provider.confirmed && needsConfirmation(named ?? null, provider)) throw new Fault('conflict', UNCONFIRMED);
      await verifyUnambiguous(client, tenantId, provider, named ?? null);
      if (named !== undefined) return await change(client, named, provider);
      verifySamePersons(await rowsOf(client, 'issuer = $1 AND removed_at IS NULL', [provider.issuer]), provider);
      await verifyCount(client, countMax);
      return await insert(client, tenantId, provider);
    });
  }

  override list(tenantId: TenantId): Promise<ProviderRow[]> {
    return inTenant(this.#pool, tenantId, (client) => rowsOf(client, 'removed_at IS NULL ORDER BY name', []), {
      readOnly: true,
    });
  }

  override async read(tenantId: TenantId, name: string): Promise<ProviderRow | null> {
    const newest = 'name = $1 ORDER BY removed_at DESC NULLS FIRST LIMIT 1';
    const rows = await inTenant(this.#pool, tenantId, (client) => rowsOf(client, newest, [name]), { readOnly: true });
    return rows[0] ?? null;
  }

  override async remove(tenantId: TenantId, providerId: string, condition?: ProviderCondition): Promise<void> {
    await inTenant(this.#pool, tenantId, async (client) => {
      const inForce = 'provider_id = $1 AND removed_at IS NULL';
      if (condition !== undefined) {
        const [present] = await rowsOf(client, `${inForce} FOR UPDATE`, [providerId]);
        await condition(present ?? null);
      }
      await client.query(
        `UPDATE orchestrator.identity_provider SET removed_at = orchestrator.now_ms() WHERE ${inForce}`,
        [providerId],
      );
    });
  }

  override async hasCredential(tenantId: TenantId, hash: Uint8Array): Promise<boolean> {
    return await this.#exists(tenantId, 'SELECT 1 FROM orchestrator.api_key WHERE key_hash = $1', [Buffer.from(hash)]);
  }

  override async createCredential(tenantId: TenantId, key: NewKey, of: NewCredential): Promise<void> {
    await inTenant(this.#pool, tenantId, async (client) => {
      if (isId('person', key.principal)) await verifyPerson(client, key.principal);
      await verifyMember(client, key.member_id ?? null);
      await verifyRegistered(client, of);
      const made = await client.query(
        `INSERT INTO orchestrator.api_key (api_key_id, tenant_id, name, role, agent_id, principal, key_hash, created_by,
           member_id, tools)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (key_hash) DO NOTHING`,
        [
          key.api_key_id,
          tenantId,
          key.name,
          key.role,
          key.agent_id,
          key.principal ?? null,
          Buffer.from(key.hash),
          key.created_by,
          key.member_id ?? null,
          [...(key.tools ?? [])],
        ],
      );
      if (made.rowCount === 0) return;
      await client.query(
        'INSERT INTO orchestrator.credential (api_key_id, tenant_id, provider_id, subject_hash) VALUES ($1, $2, $3, $4)',
        [key.api_key_id, tenantId, of.provider_id, Buffer.from(of.subject_hash)],
      );
    });
  }

  override async credentialsOf(tenantId: TenantId, of: CredentialSelector, limit: number): Promise<Id<'apiKey'>[]> {
    const [condition, ...values] = conditionOf(of);
    const { rows } = await inTenant(
      this.#pool,
      tenantId,
      (client) =>
        client.query<{ api_key_id: Id<'apiKey'> }>(
          `SELECT api_key_id FROM orchestrator.credential c JOIN orchestrator.api_key k USING (api_key_id)
           WHERE ${condition} AND k.revoked_at IS NULL ORDER BY api_key_id LIMIT $1`,
          [limit, ...values],
        ),
      { readOnly: true },
    );
    return rows.map(({ api_key_id }) => api_key_id);
  }

  override async credential(tenantId: TenantId, apiKeyId: string): Promise<CredentialRow | null> {
    const { rows } = await inTenant(
      this.#pool,
      tenantId,
      (client) =>
        client.query<CredentialRow>(
          'SELECT provider_id, subject_hash FROM orchestrator.credential WHERE api_key_id = $1',
          [apiKeyId],
        ),
      { readOnly: true },
    );
    return rows[0] ?? null;
  }

  override async deny(
    tenantId: TenantId,
    providerId: string,
    denial: { readonly kind: DenialKind; readonly value_hash: Uint8Array; readonly denied_by: string },
  ): Promise<void> {
    await inTenant(this.#pool, tenantId, (client) =>
      client.query(
        `INSERT INTO orchestrator.token_denial (provider_id, tenant_id, kind, value_hash, denied_by)
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
        [providerId, tenantId, denial.kind, Buffer.from(denial.value_hash), denial.denied_by],
      ),
    );
  }

  override async isDenied(
    tenantId: TenantId,
    of: { readonly subject_hash: Uint8Array; readonly jti_hash: Uint8Array },
  ): Promise<boolean> {
    return await this.#exists(
      tenantId,
      `SELECT 1 FROM orchestrator.token_denial
       WHERE (kind = 'subject' AND value_hash = $1) OR (kind = 'jti' AND value_hash = $2) LIMIT 1`,
      [Buffer.from(of.subject_hash), Buffer.from(of.jti_hash)],
    );
  }

  override async personOf(tenantId: TenantId, link: Uint8Array, newId: Id<'person'>): Promise<Id<'person'>> {
    const found = await this.findPerson(tenantId, link);
    if (found !== null) return found.person_id;
    await inTenant(this.#pool, tenantId, (client) =>
      client.query(
        'INSERT INTO orchestrator.person (tenant_id, link, person_id) VALUES ($1, $2, $3) ON CONFLICT (tenant_id, link) DO NOTHING',
        [tenantId, Buffer.from(link), newId],
      ),
    );
    // Another replica may have made it meanwhile, or forgotten it.
    return (await this.findPerson(tenantId, link))?.person_id ?? newId;
  }

  override async findPerson(tenantId: TenantId, link: Uint8Array): Promise<PersonRow | null> {
    const { rows } = await inTenant(
      this.#pool,
      tenantId,
      (client) =>
        client.query<PersonRow>('SELECT person_id, created_at FROM orchestrator.person WHERE link = $1', [
          Buffer.from(link),
        ]),
      { readOnly: true },
    );
    return rows[0] ?? null;
  }

  override async forgetPerson(tenantId: TenantId, personId: string): Promise<boolean> {
    return await inTenant(this.#pool, tenantId, async (client) => {
      await client.query(
        `DELETE FROM orchestrator.browser_session s USING orchestrator.credential c, orchestrator.api_key k
         WHERE s.subject_hash = c.subject_hash AND k.api_key_id = c.api_key_id AND k.principal = $1`,
        [personId],
      );
      // Waits for what the sessions approve meanwhile, so that the next statements see it.
      await client.query(
        'SELECT 1 FROM orchestrator.sign_in_session WHERE person_id = $1 ORDER BY sign_in_id FOR UPDATE',
        [personId],
      );
      await client.query('DELETE FROM orchestrator.sign_in_session WHERE person_id = $1', [personId]);
      await client.query('DELETE FROM orchestrator.device_authorization WHERE person_id = $1', [personId]);
      // Credentials whose person has no name are the person's by their pseudonym alone, once the subject is gone.
      await client.query(
        `UPDATE orchestrator.credential c SET subject_hash = sha256(convert_to(gen_random_uuid()::text, 'UTF8'))
         FROM orchestrator.api_key k WHERE k.api_key_id = c.api_key_id AND k.principal = $1`,
        [personId],
      );
      await forgetMember(client, personId);
      const { rowCount } = await client.query('DELETE FROM orchestrator.person WHERE person_id = $1', [personId]);
      return rowCount === 1;
    });
  }

  async #exists(tenantId: TenantId, text: string, values: unknown[]): Promise<boolean> {
    const { rowCount } = await inTenant(this.#pool, tenantId, (client) => client.query(text, values), {
      readOnly: true,
    });
    return rowCount === 1;
  }
}

/** A credential of a forgotten pseudonym would outlive the revocation of the others. */
async function verifyPerson(client: Client, personId: string): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM orchestrator.person WHERE person_id = $1', [personId]);
  if (rowCount === 0) throw new Fault('conflict', 'the person was forgotten meanwhile: send the request again');
}

/** The member stays active until the transaction ends. */
async function verifyMember(client: Client, memberId: string | null): Promise<void> {
  if (memberId === null) return;
  const { rowCount } = await client.query(
    "SELECT 1 FROM orchestrator.member WHERE member_id = $1 AND state = 'active' FOR SHARE",
    [memberId],
  );
  if (rowCount === 0) throw new Fault('conflict', NOT_ACTIVE);
}

/** The registration stays as it is until the transaction ends. */
async function verifyRegistered(client: Client, { provider_id, workload }: NewCredential): Promise<void> {
  const { rowCount } = await client.query(
    `SELECT 1 FROM orchestrator.identity_provider
     WHERE provider_id = $1 AND removed_at IS NULL AND workloads @> $2::jsonb FOR SHARE`,
    [provider_id, JSON.stringify(workload === undefined ? [] : [workload])],
  );
  if (rowCount === 0) throw new Fault('conflict', 'the registration has changed meanwhile: send the request again');
}

const STILL_LEAVING =
  'the offboarding of the member goes on: keys or sessions may be left. Send the request again in a minute';

/**
 * Keys that the person keeps are of nobody who is a member. INVARIANT (no way back): a member who isn't active keeps
 * the keys until each is revoked. Fault `conflict`.
 */
async function forgetMember(client: Client, personId: string): Promise<void> {
  const { rows } = await client.query<{ state: string; leaves: boolean }>(
    `SELECT m.state, EXISTS (SELECT FROM orchestrator.offboarding o
       WHERE o.member_id = m.member_id AND o.ended_at IS NULL) AS leaves
     FROM orchestrator.member m JOIN orchestrator.member_name n USING (member_id) WHERE n.person_id = $1 FOR UPDATE OF m`,
    [personId],
  );
  if (rows[0]?.state === 'suspended') throw new Fault('conflict', NOT_ACTIVE);
  if (rows[0]?.leaves === true) throw new Fault('conflict', STILL_LEAVING);
  const theirs = '(SELECT member_id FROM orchestrator.member WHERE person_id = $1)';
  await client.query(`UPDATE orchestrator.api_key SET member_id = NULL WHERE member_id IN ${theirs}`, [personId]);
  await client.query(`DELETE FROM orchestrator.member_identity WHERE member_id IN ${theirs}`, [personId]);
  await client.query(`DELETE FROM orchestrator.offboarding WHERE member_id IN ${theirs}`, [personId]);
  await client.query('DELETE FROM orchestrator.member WHERE person_id = $1', [personId]);
  // A name that an active member had before.
  await client.query('DELETE FROM orchestrator.member_name WHERE person_id = $1', [personId]);
}

/** Their values begin with the second parameter. */
function conditionOf(of: CredentialSelector): readonly [string, ...(string | Buffer | Buffer[])[]] {
  if ('provider_id' in of) {
    const except = (of.except ?? []).map((hash) => Buffer.from(hash));
    return ['c.provider_id = $2 AND k.key_hash <> ALL ($3::bytea[])', of.provider_id, except];
  }
  return 'subject_hash' in of
    ? ['c.subject_hash = $2', Buffer.from(of.subject_hash)]
    : ['k.principal = $2', of.person_id];
}
