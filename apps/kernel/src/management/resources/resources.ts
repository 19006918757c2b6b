// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest, type ResourceView } from '@writ/contract';
import { contentDigest, type Changes } from '../../evidence/changes/index.ts';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import { newId } from '@writ/nest-kit';
import type { Listed } from '@writ/paging';
import { newestFirst, plainRow, requireRole, rowsAfter, type Tenancy } from '../../foundation/tenancy/index.ts';

const COLUMNS = {
  resource_id: true,
  ref: true,
  version: true,
  created_at: true,
  updated_at: true,
  updated_by: true,
} as const;

/** Versions of things outside, which calls name in their preconditions. */
export class Resources {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;

  constructor(tenancy: Tenancy, changes: Changes) {
    this.#tenancy = tenancy;
    this.#changes = changes;
  }

  /**
   * Moves a resource to its next version. INVARIANT (wholly before or after): no call that relies on the version that
   * stood commits after this one has.
   * @throws Fault `auth.role`; `conflict` where another version stands than was expected
   */
  async set({ caller, ref, version, expected_version }: KernelRequest<'resource.set'>): Promise<ResourceView> {
    // Whoever proposes calls mustn't vouch for what they rely on.
    requireRole(caller, 'admin', 'operator');
    const { tenant_id, api_key_id: updated_by } = caller;
    return await this.#changes.make(tenant_id, async (rows, now) => {
      await rows.$queryRaw`SELECT pg_advisory_xact_lock(kernel.resource_lock(${tenant_id}, ${ref}))::text`;
      const standing = await rows.resource.findUnique({
        where: { tenant_id_ref: { tenant_id, ref } },
        select: { resource_id: true, version: true, created_at: true },
      });
      if ((standing?.version ?? null) !== expected_version) throw stale(ref, standing?.version ?? null);
      const resource_id = standing?.resource_id ?? newId('resource');
      if (standing === null)
        await rows.resource.createMany({
          data: [{ resource_id, tenant_id, ref, version, created_at: now, updated_at: now, updated_by }],
        });
      else
        await rows.resource.updateMany({ where: { tenant_id, ref }, data: { version, updated_at: now, updated_by } });
      const change = { verb: 'resource_set', subject: ref, digest: contentDigest({ ref, version, expected_version }) };
      const value = {
        resource_id,
        ref,
        version,
        created_at: Number(standing?.created_at ?? now),
        updated_at: now,
        updated_by,
      };
      return { value, records: [{ kind: 'change', actor: updated_by, change }] };
    });
  }

  /** Newest first, or the named one alone. @throws Fault `request.malformed` */
  async list({ caller, page, ref }: KernelRequest<'resource.list'>): Promise<Listed<ResourceView>> {
    const { tenant_id } = caller;
    // No name has a NUL, and the database takes none in a question.
    const where =
      ref === null
        ? { ...rowsAfter(parseCursor(page.cursor), 'resource_id'), tenant_id }
        : { tenant_id, ref: ref.includes('\0') ? '' : ref };
    const resources = await this.#tenancy.within(tenant_id, (rows) =>
      rows.resource.findMany({ where, orderBy: newestFirst('resource_id'), take: page.limit + 1, select: COLUMNS }),
    );
    return fittedPage(resources.map(plainRow), page.limit, ({ created_at, resource_id: id }) => ({ created_at, id }));
  }
}

const stale = (ref: string, version: string | null): Fault =>
  new Fault(
    'conflict',
    version === null
      ? `there is no resource \`${ref}\` yet: expect null`
      : `the resource \`${ref}\` has the version \`${version}\``,
    { pointer: '/expected_version' },
  );
