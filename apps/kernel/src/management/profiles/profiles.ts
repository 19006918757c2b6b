// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, type KernelRequest, type ProfilePutReply, type ProfileView } from '@writ/contract';
import { profileBytes, profileDigest, profileFrom, readProfile } from '@writ/mk8-shell/dangerous';
import { requireMatch } from '@writ/nest-kit';
import type { ChangeRecord, Changes } from '../../evidence/changes/index.ts';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import type { ListPage } from '@writ/paging';
import { requireFound, requireRole, type Rows, type Tenancy } from '../../foundation/tenancy/index.ts';

type ProfileRow = NonNullable<Awaited<ReturnType<Rows['execution_profile']['findUnique']>>>;

/**
 * Manages execution profiles. INVARIANT (never another): the definition of a registered name never changes. To change
 * it, remove the profile and create it again.
 */
export class Profiles {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;

  constructor(tenancy: Tenancy, changes: Changes) {
    this.#tenancy = tenancy;
    this.#changes = changes;
  }

  /**
   * Registers a profile. Problems are returned as an answer and not as a fault.
   * @throws Fault `auth.role`, `workspace.unknown`, `conflict` for a name that is taken, `limit.exceeded`
   */
  async create({ caller, name, definition }: KernelRequest<'profile.create'>): Promise<ProfilePutReply> {
    requireRole(caller, 'admin');
    const { profile, problems } = readProfile(definition);
    if (profile === null)
      return { valid: false, problems: problems.map(({ pointer, message }) => ({ pointer, message })), profile: null };
    const bytes = new Uint8Array(profileBytes(profile));
    const digest = profileDigest(bytes);
    const { tenant_id, api_key_id: created_by } = caller;
    return await this.#changes.make<ProfilePutReply>(tenant_id, async (rows, now) => {
      await lockProfiles(rows, tenant_id);
      const { workspace_id } = profile;
      if (
        workspace_id !== null &&
        (await rows.workspace.findFirst({ where: { tenant_id, workspace_id }, select: { workspace_id: true } })) ===
          null
      )
        throw new Fault('workspace.unknown', undefined, { pointer: '/workspace_id' });
      const existing = await rows.execution_profile.findUnique({ where: { tenant_id_name: { tenant_id, name } } });
      if (existing?.digest === digest) return created(existing, []);
      if (existing !== null)
        throw new Fault(
          'conflict',
          `there is another execution profile \`${name}\`: remove it first, or give this one another name`,
        );
      if ((await rows.execution_profile.count({ where: { tenant_id } })) >= LIMITS.executionProfiles.max)
        throw new Fault(
          'limit.exceeded',
          `a tenant has at most ${String(LIMITS.executionProfiles.max)} execution profiles`,
        );
      const row = { tenant_id, name, definition: bytes, digest, created_by, created_at: BigInt(now) };
      await rows.execution_profile.createMany({ data: [row] });
      return created(row, [recordOf('profile_created', created_by, name, digest)]);
    });
  }

  /** By name. @throws Fault `auth.role`, `request.malformed` */
  async list({ caller, page }: KernelRequest<'profile.list'>): Promise<ListPage<ProfileView>> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    const { tenant_id } = caller;
    const { id: after } = page.cursor === null ? { id: '' } : parseCursor(page.cursor);
    const rows = await this.#tenancy.within(tenant_id, (tables) =>
      tables.execution_profile.findMany({
        where: { tenant_id, name: { gt: after } },
        orderBy: { name: 'asc' },
        take: page.limit + 1,
      }),
    );
    return fittedPage(rows.map(profileView), page.limit, ({ name }) => ({ created_at: 0, id: name }));
  }

  /** @throws Fault `auth.role`, `not_found` */
  async read({ caller, name }: KernelRequest<'profile.read'>): Promise<ProfileView> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    return profileView(
      await this.#tenancy.within(caller.tenant_id, (rows) => findProfile(rows, caller.tenant_id, name)),
    );
  }

  /**
   * Removes a profile. From then on no call runs under it, including waiting calls.
   * @throws Fault `auth.role`, `not_found`, `precondition.failed`
   */
  async remove({ caller, name, if_match }: KernelRequest<'profile.remove'>): Promise<{ removed: string }> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id } = caller;
    return await this.#changes.make(tenant_id, async (rows) => {
      await lockProfiles(rows, tenant_id);
      const row = await findProfile(rows, tenant_id, name);
      if (if_match !== undefined) requireMatch(if_match, profileView(row));
      const { digest } = row;
      await rows.execution_profile.deleteMany({ where: { tenant_id, name } });
      return { value: { removed: name }, records: [recordOf('profile_removed', api_key_id, name, digest)] };
    });
  }
}

/** Serializes changes of a tenant's profiles. */
async function lockProfiles(rows: Rows, tenantId: string): Promise<void> {
  await rows.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended('writ.profiles.' || ${tenantId}, 0))::text`;
}

const findProfile = async (rows: Rows, tenant_id: string, name: string): Promise<ProfileRow> =>
  requireFound(
    name.includes('\0')
      ? null
      : await rows.execution_profile.findUnique({ where: { tenant_id_name: { tenant_id, name } } }),
  );

const recordOf = (verb: string, actor: string, subject: string, digest: string): ChangeRecord => ({
  kind: 'change',
  actor,
  change: { verb, subject, digest },
});

const created = (row: ProfileRow, records: readonly ChangeRecord[]) => ({
  value: { valid: true, problems: [], profile: profileView(row) },
  records: [...records],
});

/** @throws where the stored profile can't be read, since something else than this class wrote it */
function profileView({ name, definition, digest, created_by, created_at }: ProfileRow): ProfileView {
  const profile = profileFrom(definition);
  if (profile === null) throw new Error(`the execution profile \`${name}\` is not as it was registered`);
  return { name, definition: profile, digest, created_by, created_at: Number(created_at) };
}
