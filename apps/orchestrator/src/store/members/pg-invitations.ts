// SPDX-License-Identifier: Apache-2.0
import { Fault, type Id, type TenantId } from '@writ/contract';
import { inTenant, type Client, type Pool } from '@writ/database';
import { pageOfRows, parseRowCursor } from '../row-cursor.ts';
import {
  CHANGED_SINCE,
  Invitations,
  NAME_OF_ANOTHER,
  NOT_ACTIVE,
  OTHER_ROLE,
  OVER_MS,
  type Acceptance,
  type CodeHolder,
  type InvitationRow,
  type Invitee,
  type NewInvitation,
} from './invitations.ts';
import { vouchIn } from './pg-members.ts';

const COLUMNS = `i.invitation_id, p.name AS provider, i.sealed, i.role, i.created_at, i.created_by, i.expires_at,
  i.accepted_at, i.member_id, i.revoked_at, i.revoked_by,
  CASE WHEN i.accepted_at IS NOT NULL THEN 'accepted' WHEN i.revoked_at IS NOT NULL THEN 'revoked'
    WHEN i.expires_at <= orchestrator.now_ms() THEN 'expired' ELSE 'open' END AS state
  FROM orchestrator.invitation i LEFT JOIN orchestrator.identity_provider p USING (provider_id)`;

const OPEN = 'i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > orchestrator.now_ms()';

/**
 * The open invitation of a code for somebody. INVARIANT (no more than the inviter has): the key that made it is still a
 * valid one of an administrator. For a credential of an identity provider, its registration and its subject are still
 * accepted, and something still makes administrators: the member's own role, or the registration.
 */
const GOOD = `SELECT i.invitation_id, i.role, i.created_by FROM orchestrator.invitation i
  JOIN orchestrator.api_key k ON k.api_key_id = i.created_by
  LEFT JOIN orchestrator.member o ON o.member_id = k.member_id
  WHERE i.code_hash = $1 AND ${OPEN}
    AND (i.address_hash IS NULL OR i.address_hash = $2) AND (i.subject_hash IS NULL OR i.subject_hash = $3)
    AND (i.provider_id IS NULL OR i.provider_id = $4)
    AND k.role = 'admin' AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > orchestrator.now_ms())
    AND (o.member_id IS NULL OR o.state = 'active')
    AND NOT EXISTS (SELECT 1 FROM orchestrator.credential c JOIN orchestrator.identity_provider p USING (provider_id)
      WHERE c.api_key_id = k.api_key_id AND (p.removed_at IS NOT NULL
        OR EXISTS (SELECT 1 FROM orchestrator.token_denial d
          WHERE d.tenant_id = c.tenant_id AND d.kind = 'subject' AND d.value_hash = c.subject_hash)
        OR (o.role IS DISTINCT FROM 'admin' AND NOT p.scopes @> '[{"role": "admin"}]'
          AND NOT p.groups @> '[{"role": "admin"}]')))`;

/** Invitations in Postgres. Row-level security shows the tenant's rows. */
export class PgInvitations extends Invitations {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    super();
    this.#pool = pool;
  }

  override async create(
    tenantId: TenantId,
    invitation: NewInvitation,
    openMax: number,
    before: () => Promise<void>,
  ): Promise<InvitationRow> {
    return await inTenant(this.#pool, tenantId, async (client) => {
      await client.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`writ.invitations.${tenantId}`]);
      const { rows } = await client.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM orchestrator.invitation i WHERE ${OPEN}`,
      );
      if ((rows[0]?.n ?? 0) >= openMax)
        throw new Fault('limit.exceeded', `a tenant has ${openMax} open invitations at most; revoke some`);
      await before();
      await client.query('DELETE FROM orchestrator.invitation WHERE expires_at < orchestrator.now_ms() - $1', [
        OVER_MS,
      ]);
      await insert(client, tenantId, invitation);
      return (await readRow(client, invitation.invitation_id)) as InvitationRow;
    });
  }

  override async read(tenantId: TenantId, invitationId: string): Promise<InvitationRow | null> {
    return await inTenant(this.#pool, tenantId, (client) => readRow(client, invitationId), { readOnly: true });
  }

  override async list(
    tenantId: TenantId,
    { cursor, limit }: { readonly cursor: string | null; readonly limit: number },
  ): Promise<{ items: InvitationRow[]; next_cursor: string | null }> {
    const after = cursor === null ? null : parseRowCursor('invitation', cursor);
    const { rows } = await inTenant(
      this.#pool,
      tenantId,
      (client) =>
        client.query<InvitationRow>(
          `SELECT ${COLUMNS} WHERE $1::bigint IS NULL OR (i.created_at, i.invitation_id) < ($1, $2)
           ORDER BY i.created_at DESC, i.invitation_id DESC LIMIT $3`,
          [after?.created_at ?? null, after?.id ?? null, limit + 1],
        ),
      { readOnly: true },
    );
    return pageOfRows(rows, limit, ({ invitation_id }) => invitation_id);
  }

  override async revoke(
    tenantId: TenantId,
    invitationId: string,
    by: string,
    before: () => Promise<void>,
  ): Promise<InvitationRow | null> {
    return await inTenant(this.#pool, tenantId, async (client) => {
      await client.query('SELECT 1 FROM orchestrator.invitation WHERE invitation_id = $1 FOR UPDATE', [invitationId]);
      const found = await readRow(client, invitationId);
      if (found?.state !== 'open') return found;
      await before();
      await client.query(
        `UPDATE orchestrator.invitation SET revoked_at = orchestrator.now_ms(), revoked_by = $2
         WHERE invitation_id = $1`,
        [invitationId, by],
      );
      return await readRow(client, invitationId);
    });
  }

  override async isGood(tenantId: TenantId, holder: CodeHolder): Promise<boolean> {
    const good = await inTenant(this.#pool, tenantId, (client) => goodOne(client, valuesOf(holder)), {
      readOnly: true,
    });
    return good !== null;
  }

  override async accept(
    tenantId: TenantId,
    invitee: Invitee,
    before: (acceptance: Acceptance) => Promise<void>,
  ): Promise<boolean> {
    const { vouched, code_hash, address_hash } = invitee;
    const { subject_hash, provider_id } = vouched;
    const who = valuesOf({ code_hash, address_hash, subject_hash, provider_id });
    return await inTenant(this.#pool, tenantId, async (client) => {
      // A code that is not good makes nobody a member. The rows are looked at again once they are locked.
      if ((await goodOne(client, who)) === null) return false;
      const member_id = await memberFor(client, tenantId, vouched);
      const { rowCount } = await client.query('SELECT 1 FROM orchestrator.invitation WHERE code_hash = $1 FOR UPDATE', [
        who[0],
      ]);
      const good = rowCount === 0 ? null : await goodOne(client, who);
      if (good === null) throw new GoneMeanwhile();
      await giveRole(client, member_id, good);
      await before({ ...good, member_id });
      await client.query(
        `UPDATE orchestrator.invitation SET accepted_at = orchestrator.now_ms(), member_id = $2
         WHERE invitation_id = $1`,
        [good.invitation_id, member_id],
      );
      return true;
    }).catch((error: unknown) => {
      if (error instanceof GoneMeanwhile) return false;
      throw error;
    });
  }
}

/** Undoes what was prepared for an invitation that ended at that moment. */
class GoneMeanwhile extends Error {}

type Good = Omit<Acceptance, 'member_id'>;

const bytes = (hash: Uint8Array | null): Buffer | null => (hash === null ? null : Buffer.from(hash));

/** The parameters of GOOD. */
const valuesOf = ({ code_hash, address_hash, subject_hash, provider_id }: CodeHolder): readonly unknown[] => [
  ...[bytes(code_hash), bytes(address_hash), bytes(subject_hash), provider_id],
];

const goodOne = async (client: Client, who: readonly unknown[]): Promise<Good | null> =>
  (await client.query<Good>(GOOD, [...who])).rows[0] ?? null;

/**
 * The member who is invited, locked. INVARIANT (members first): whoever changes a member locks it before its
 * invitations, so nobody waits in the other order.
 */
async function memberFor(client: Client, tenantId: TenantId, vouched: Invitee['vouched']): Promise<Id<'member'>> {
  const standing = await vouchIn(client, tenantId, vouched);
  if (standing === null) throw new Fault('conflict', NAME_OF_ANOTHER);
  await client.query('SELECT 1 FROM orchestrator.member WHERE member_id = $1 FOR UPDATE', [standing.member_id]);
  return standing.member_id;
}

/**
 * INVARIANT (adds, and never changes): a role that an administrator gave stays as it is, and one that an administrator
 * took since the invitation was made isn't given back.
 */
async function giveRole(
  client: Client,
  memberId: Id<'member'>,
  { invitation_id, role, created_by }: Good,
): Promise<void> {
  const { rows } = await client.query<{ role: string | null; state: string; changed: boolean }>(
    `SELECT m.role, m.state, m.changed_at > greatest(m.created_at, i.created_at) AS changed
     FROM orchestrator.member m, orchestrator.invitation i WHERE m.member_id = $1 AND i.invitation_id = $2`,
    [memberId, invitation_id],
  );
  const [member] = rows;
  if (member?.state !== 'active') throw new Fault('conflict', NOT_ACTIVE);
  if (member.role !== null && member.role !== role) throw new Fault('conflict', OTHER_ROLE);
  if (member.role === null && member.changed) throw new Fault('conflict', CHANGED_SINCE);
  await client.query(
    `UPDATE orchestrator.member SET role = $2, changed_at = orchestrator.now_ms(), changed_by = $3
     WHERE member_id = $1 AND role IS NULL`,
    [memberId, role, created_by],
  );
}

const readRow = async (client: Client, invitationId: string): Promise<InvitationRow | null> =>
  (await client.query<InvitationRow>(`SELECT ${COLUMNS} WHERE i.invitation_id = $1`, [invitationId])).rows[0] ?? null;

async function insert(client: Client, tenantId: TenantId, invitation: NewInvitation): Promise<void> {
  const { invitation_id, code_hash, address_hash, subject_hash, provider_id, sealed, role } = invitation;
  await client.query(
    `INSERT INTO orchestrator.invitation (invitation_id, tenant_id, code_hash, address_hash, subject_hash, provider_id,
       sealed, role, created_by, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      ...[invitation_id, tenantId, bytes(code_hash), bytes(address_hash), bytes(subject_hash), provider_id],
      ...[sealed, role, invitation.created_by, invitation.expires_at],
    ],
  );
}
