// SPDX-License-Identifier: Apache-2.0
import { Fault, type TenantId } from '@writ/contract';
import { inTenant, type Client, type Pool } from '@writ/database';
import { lockAdministratorKeys, hasLastingKeys } from '../keys/lasting-keys.ts';
import { lockPrincipal } from '../keys/principals.ts';
import { pageOfRows, parseRowCursor } from '../row-cursor.ts';
import {
  LAST_ADMINISTRATORS_MEMBER,
  Members,
  nameApart,
  NAME_TAKEN,
  OF_ANOTHER,
  OFFBOARDED,
  PERSON_TAKEN,
  type MemberChange,
  type MemberPage,
  type MemberRow,
  type MemberStanding,
  type NewMember,
  type VouchedMember,
  type VouchedService,
} from './members.ts';

const STANDING = 'm.member_id, m.person_id, m.role, m.state';
const COLUMNS = `${STANDING}, m.kind, m.name, m.sealed, m.created_at, m.created_by, m.changed_at, m.changed_by`;
const OF_SUBJECT = `SELECT ${STANDING} FROM orchestrator.member m JOIN orchestrator.member_identity i USING (member_id)
  WHERE i.subject_hash = $1`;

/** Members in Postgres. Row-level security shows the tenant's rows. */
export class PgMembers extends Members {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    super();
    this.#pool = pool;
  }

  override async ofSubject(tenantId: TenantId, subjectHash: Uint8Array): Promise<MemberStanding | null> {
    return await this.#one(tenantId, OF_SUBJECT, [Buffer.from(subjectHash)]);
  }

  override async ofPerson(tenantId: TenantId, personId: string): Promise<MemberStanding | null> {
    return await this.#one(tenantId, `SELECT ${STANDING} FROM orchestrator.member m WHERE m.person_id = $1`, [
      personId,
    ]);
  }

  override async vouch(tenantId: TenantId, vouched: VouchedMember): Promise<MemberStanding | null> {
    const known = await this.ofSubject(tenantId, vouched.subject_hash);
    if (known?.person_id === vouched.person_id) return known;
    return await inTenant(this.#pool, tenantId, (client) => vouchIn(client, tenantId, vouched));
  }

  override async vouchService(tenantId: TenantId, vouched: VouchedService): Promise<MemberStanding> {
    const { member_id, subject_hash, provider_id, name } = vouched;
    return await inTenant(this.#pool, tenantId, async (client) => {
      await lockPrincipal(client, tenantId, `subject ${Buffer.from(subject_hash).toString('hex')}`);
      const found = await one<MemberStanding>(client, OF_SUBJECT, [Buffer.from(subject_hash)]);
      if (found !== null) return found;
      // Service accounts with one name take turns, so that each gets a name of its own.
      await lockPrincipal(client, tenantId, `service ${name}`);
      const taken = await one(client, `SELECT 1 FROM orchestrator.member WHERE name = $1 AND state <> 'offboarded'`, [
        name,
      ]);
      const own = taken === null ? name : nameApart(name, member_id);
      const made = { kind: 'service', person_id: null, sealed: null, role: null, created_by: provider_id } as const;
      await insert(client, tenantId, { ...made, member_id, name: own });
      await identify(client, tenantId, { member_id, subject_hash, provider_id });
      return { member_id, person_id: null, role: null, state: 'active' };
    });
  }

  override async create(
    tenantId: TenantId,
    member: NewMember,
    principal: string,
    countMax: number,
    before: () => Promise<void>,
  ): Promise<MemberRow> {
    return await inTenant(this.#pool, tenantId, async (client) => {
      await lockPrincipal(client, tenantId, principal);
      if (member.kind === 'service') await verifyCount(client, countMax);
      const taken = await one(
        client,
        `SELECT 1 FROM orchestrator.member_name WHERE person_id = $1
         UNION ALL SELECT 1 FROM orchestrator.member WHERE person_id = $1 OR (name = $2 AND state <> 'offboarded')`,
        [member.person_id, member.name],
      );
      if (taken !== null) throw new Fault('conflict', member.kind === 'service' ? NAME_TAKEN : PERSON_TAKEN);
      await before();
      await insert(client, tenantId, member);
      await takeKeys(client, tenantId, { member_id: member.member_id, principal });
      return (await readMember(client, member.member_id)) as MemberRow;
    });
  }

  override async read(tenantId: TenantId, memberId: string): Promise<MemberRow | null> {
    return await inTenant(this.#pool, tenantId, (client) => readMember(client, memberId), { readOnly: true });
  }

  override async list(
    tenantId: TenantId,
    { cursor, limit, kind, state }: MemberPage,
  ): Promise<{ items: MemberRow[]; next_cursor: string | null }> {
    const after = cursor === null ? null : parseRowCursor('member', cursor);
    const { rows } = await inTenant(
      this.#pool,
      tenantId,
      (client) =>
        client.query<MemberRow>(
          `SELECT ${COLUMNS} FROM orchestrator.member m
           WHERE ($1::text IS NULL OR m.kind = $1) AND ($2::text IS NULL OR m.state = $2)
             AND ($3::bigint IS NULL OR (m.created_at, m.member_id) < ($3, $4))
           ORDER BY m.created_at DESC, m.member_id DESC LIMIT $5`,
          [kind, state, after?.created_at ?? null, after?.id ?? null, limit + 1],
        ),
      { readOnly: true },
    );
    return pageOfRows(rows, limit, ({ member_id }) => member_id);
  }

  override async change(
    tenantId: TenantId,
    memberId: string,
    change: MemberChange,
    before: () => Promise<void>,
  ): Promise<MemberRow | null> {
    return await inTenant(this.#pool, tenantId, async (client) => {
      const member = await holdMember(client, memberId);
      if (member === null) return null;
      if (member.state === 'offboarded') throw new Fault('conflict', OFFBOARDED);
      const { role = member.role, state = member.state, by } = change;
      if (state === 'suspended') await verifyOthersLast(client, memberId);
      await before();
      await client.query(
        `UPDATE orchestrator.member SET role = $2, state = $3, changed_at = orchestrator.now_ms(), changed_by = $4,
           votes_unsettled = votes_unsettled OR $5
         WHERE member_id = $1`,
        // A repeated request tells the kernel of names that came meanwhile.
        [memberId, role, state, by, change.state !== undefined],
      );
      if (state === 'suspended') await wakeRuns(client, memberId);
      return await readMember(client, memberId);
    });
  }

  override async link(
    tenantId: TenantId,
    memberId: string,
    { subject_hash, provider_id }: { readonly subject_hash: Uint8Array; readonly provider_id: string },
    before: () => Promise<void>,
  ): Promise<MemberRow | null> {
    return await inTenant(this.#pool, tenantId, async (client) => {
      const member = await holdMember(client, memberId);
      if (member === null) return null;
      if (member.state === 'offboarded') throw new Fault('conflict', OFFBOARDED);
      const other = await one<MemberStanding>(client, OF_SUBJECT, [Buffer.from(subject_hash)]);
      if (other !== null && other.member_id !== memberId) throw new Fault('conflict', OF_ANOTHER);
      await before();
      await identify(client, tenantId, { member_id: memberId, subject_hash, provider_id });
      return member;
    });
  }

  async #one(tenantId: TenantId, text: string, values: unknown[]): Promise<MemberStanding | null> {
    return await inTenant(this.#pool, tenantId, (client) => one<MemberStanding>(client, text, values), {
      readOnly: true,
    });
  }
}

/** As `Members.vouch`, in a transaction. */
export async function vouchIn(
  client: Client,
  tenantId: TenantId,
  vouched: VouchedMember,
): Promise<MemberStanding | null> {
  await lockPrincipal(client, tenantId, vouched.principal);
  const found = await one<MemberStanding>(client, OF_SUBJECT, [Buffer.from(vouched.subject_hash)]);
  if (found === null) return await join(client, tenantId, vouched);
  return await rename(client, tenantId, found, vouched);
}

async function one<T extends object>(client: Client, text: string, values: unknown[]): Promise<T | null> {
  return (await client.query<T>(text, values)).rows[0] ?? null;
}

const readMember = (client: Client, memberId: string): Promise<MemberRow | null> =>
  one<MemberRow>(client, `SELECT ${COLUMNS} FROM orchestrator.member m WHERE m.member_id = $1`, [memberId]);

/**
 * The member, locked: whoever makes a key for it waits until the transaction ends. Administrators' keys come first, so
 * that nobody waits in the other order.
 */
export async function holdMember(client: Client, memberId: string): Promise<MemberRow | null> {
  await lockAdministratorKeys(client);
  await client.query('SELECT 1 FROM orchestrator.member WHERE member_id = $1 FOR UPDATE', [memberId]);
  await takeKeysOf(client, memberId);
  return await readMember(client, memberId);
}

/** Keys that a process of the version before made for the member's person become the member's. */
async function takeKeysOf(client: Client, memberId: string): Promise<void> {
  await client.query(
    `UPDATE orchestrator.api_key k SET member_id = $1 WHERE k.member_id IS NULL AND k.principal IN
       (SELECT DISTINCT o.principal FROM orchestrator.api_key o WHERE o.member_id = $1 AND o.principal IS NOT NULL)`,
    [memberId],
  );
}

async function takeKeys(
  client: Client,
  tenantId: TenantId,
  { member_id, principal }: { readonly member_id: string; readonly principal: string },
): Promise<void> {
  await client.query(
    `UPDATE orchestrator.api_key SET member_id = $1
     WHERE tenant_id = $2 AND principal = $3 AND member_id IS NULL`,
    [member_id, tenantId, principal],
  );
}

/**
 * Whose name it is: the member's who has or had it, else the one's whose keys have it. INVARIANT (a name stays): a name
 * that a member had before is nobody else's. A key can have a name that no member had yet.
 */
async function holderOf(
  client: Client,
  tenantId: TenantId,
  { person_id, principal }: Pick<VouchedMember, 'person_id' | 'principal'>,
): Promise<MemberStanding | null> {
  return await one<MemberStanding>(
    client,
    `SELECT ${STANDING} FROM orchestrator.member m
     WHERE m.person_id = $1 OR m.member_id IN (SELECT n.member_id FROM orchestrator.member_name n WHERE n.person_id = $1)
       OR m.member_id IN (SELECT k.member_id FROM orchestrator.api_key k WHERE k.tenant_id = $2 AND k.principal = $3)
     ORDER BY m.person_id = $1 DESC NULLS LAST LIMIT 1`,
    [person_id, tenantId, principal],
  );
}

/** A subject that is nobody's yet. */
async function join(client: Client, tenantId: TenantId, vouched: VouchedMember): Promise<MemberStanding | null> {
  const { subject_hash, provider_id, person_id, principal } = vouched;
  const named = await holderOf(client, tenantId, vouched);
  if (named !== null && named.state !== 'active') return named;
  if (named !== null && named.person_id !== person_id) return null;
  if (named !== null && (await isElsewhere(client, named.member_id, provider_id))) return null;
  const member_id = named?.member_id ?? vouched.member_id;
  if (named === null)
    await insert(client, tenantId, {
      ...{ member_id, kind: 'person', person_id, name: null, role: null },
      ...{ sealed: vouched.sealed, created_by: provider_id },
    });
  await takeKeys(client, tenantId, { member_id, principal });
  await identify(client, tenantId, { member_id, subject_hash, provider_id });
  return named ?? { member_id, person_id, role: null, state: 'active' };
}

/** A subject of a member that has another name by now. */
async function rename(
  client: Client,
  tenantId: TenantId,
  found: MemberStanding,
  { person_id, principal, sealed }: VouchedMember,
): Promise<MemberStanding | null> {
  if (found.person_id === person_id || found.state !== 'active') return found;
  const { member_id } = found;
  const holder = await holderOf(client, tenantId, { person_id, principal });
  if (holder !== null && holder.member_id !== member_id) return null;
  await takeKeys(client, tenantId, { member_id, principal });
  await client.query('UPDATE orchestrator.member SET person_id = $2, sealed = $3 WHERE member_id = $1', [
    member_id,
    person_id,
    sealed,
  ]);
  return { ...found, person_id };
}

/** Whether the member is known by another issuer than the provider's. */
async function isElsewhere(client: Client, memberId: string, providerId: string): Promise<boolean> {
  const other = await one(
    client,
    `SELECT 1 FROM orchestrator.member_identity i JOIN orchestrator.identity_provider p USING (provider_id)
     WHERE i.member_id = $1
       AND p.issuer <> (SELECT n.issuer FROM orchestrator.identity_provider n WHERE n.provider_id = $2) LIMIT 1`,
    [memberId, providerId],
  );
  return other !== null;
}

async function identify(
  client: Client,
  tenantId: TenantId,
  of: { readonly member_id: string; readonly subject_hash: Uint8Array; readonly provider_id: string },
): Promise<void> {
  await client.query(
    `INSERT INTO orchestrator.member_identity (tenant_id, subject_hash, member_id, provider_id)
     VALUES ($1, $2, $3, $4) ON CONFLICT (tenant_id, subject_hash) DO NOTHING`,
    [tenantId, Buffer.from(of.subject_hash), of.member_id, of.provider_id],
  );
}

async function insert(client: Client, tenantId: TenantId, member: NewMember): Promise<void> {
  const { member_id, kind, person_id, sealed, name, role, created_by } = member;
  await client.query(
    // One time for both: a member that nobody changed was changed when it was made.
    `INSERT INTO orchestrator.member (member_id, tenant_id, kind, person_id, sealed, name, role, created_by, changed_by,
       created_at, changed_at)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, $8, n.t, n.t FROM (SELECT orchestrator.now_ms() AS t) n`,
    [member_id, tenantId, kind, person_id, sealed, name, role, created_by],
  );
}

async function verifyCount(client: Client, countMax: number): Promise<void> {
  const { rows } = await client.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM orchestrator.member WHERE kind = 'service' AND state <> 'offboarded'`,
  );
  if ((rows[0]?.n ?? 0) >= countMax)
    throw new Fault('limit.exceeded', `a tenant has ${countMax} service accounts at most`);
}

/** INVARIANT (never locked out): each tenant has a lasting key of somebody else. Fault `conflict`. */
export async function verifyOthersLast(client: Client, memberId: string): Promise<void> {
  if (!(await hasLastingKeys(client, memberId))) throw new Fault('conflict', LAST_ADMINISTRATORS_MEMBER);
}

/** Waiting runs of the member are claimed next, and end. */
export async function wakeRuns(client: Client, memberId: string): Promise<void> {
  await client.query(
    `UPDATE orchestrator.run SET wake_at = orchestrator.now_ms() WHERE state = 'waiting' AND created_by IN
       (SELECT k.api_key_id FROM orchestrator.api_key k WHERE k.member_id = $1)`,
    [memberId],
  );
}
