// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest, type ExternalVersionView } from '@writ/contract';
import { contentDigest, type Changes } from '../../evidence/changes/index.ts';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import { newId } from '@writ/nest-kit';
import type { ListPage } from '@writ/paging';
import { newestFirst, plainRow, requireRole, rowsAfter, type Tenancy } from '../../foundation/tenancy/index.ts';

const COLUMNS = {
  external_version_id: true,
  ref: true,
  version: true,
  created_at: true,
  updated_at: true,
  updated_by: true,
} as const;

/** Versions of external things, which calls name in their preconditions. */
export class ExternalVersions {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;

  constructor(tenancy: Tenancy, changes: Changes) {
    this.#tenancy = tenancy;
    this.#changes = changes;
  }

  /**
   * Moves an external thing to its next version. INVARIANT (wholly before or after): no call that relies on the
   * previous version commits after this change.
   * @throws Fault `auth.role`; `conflict` where the current version is not the expected one
   */
  async set({
    caller,
    ref,
    version,
    expected_version,
  }: KernelRequest<'external_version.set'>): Promise<ExternalVersionView> {
    // A role that proposes calls must not set the versions on which they rely.
    requireRole(caller, 'admin', 'operator');
    const { tenant_id, api_key_id: updated_by } = caller;
    return await this.#changes.make(tenant_id, async (rows, now) => {
      await rows.$queryRaw`SELECT pg_advisory_xact_lock(kernel.external_version_lock(${tenant_id}, ${ref}))::text`;
      const current = await rows.external_version.findUnique({
        where: { tenant_id_ref: { tenant_id, ref } },
        select: { external_version_id: true, version: true, created_at: true },
      });
      if ((current?.version ?? null) !== expected_version) throw staleVersion(ref, current?.version ?? null);
      const external_version_id = current?.external_version_id ?? newId('externalVersion');
      if (current === null)
        await rows.external_version.createMany({
          data: [{ external_version_id, tenant_id, ref, version, created_at: now, updated_at: now, updated_by }],
        });
      else
        await rows.external_version.updateMany({
          where: { tenant_id, ref },
          data: { version, updated_at: now, updated_by },
        });
      const change = {
        verb: 'external_version_set',
        subject: ref,
        digest: contentDigest({ ref, version, expected_version }),
      };
      const value = {
        external_version_id,
        ref,
        version,
        created_at: Number(current?.created_at ?? now),
        updated_at: now,
        updated_by,
      };
      return { value, records: [{ kind: 'change', actor: updated_by, change }] };
    });
  }

  /** Newest first, or only the named thing. @throws Fault `request.malformed` */
  async list({ caller, page, ref }: KernelRequest<'external_version.list'>): Promise<ListPage<ExternalVersionView>> {
    const { tenant_id } = caller;
    // No name contains NUL, and the database rejects NUL in a query.
    const where =
      ref === null
        ? { ...rowsAfter(parseCursor(page.cursor), 'external_version_id'), tenant_id }
        : { tenant_id, ref: ref.includes('\0') ? '' : ref };
    const versions = await this.#tenancy.within(tenant_id, (rows) =>
      rows.external_version.findMany({
        where,
        orderBy: newestFirst('external_version_id'),
        take: page.limit + 1,
        select: COLUMNS,
      }),
    );
    return fittedPage(versions.map(plainRow), page.limit, ({ created_at, external_version_id: id }) => ({
      created_at,
      id,
    }));
  }
}

const staleVersion = (ref: string, version: string | null): Fault =>
  new Fault(
    'conflict',
    version === null
      ? `nothing named \`${ref}\` has a version yet: expect null`
      : `\`${ref}\` has the version \`${version}\``,
    { pointer: '/expected_version' },
  );
