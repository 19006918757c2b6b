// SPDX-License-Identifier: Apache-2.0
import type { KernelRequest, TenantView } from '@writ/contract';
import type { ListPage } from '@writ/paging';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';
import { plainRow, requireFound, requireId, type Tenancy } from '../../foundation/tenancy/index.ts';
import { tenantView } from './tenant-view.ts';

/** Shows tenants to the platform key: their names and whether they are open, and nothing of theirs. */
export class Tenants {
  readonly #tenancy: Tenancy;
  readonly #workers: CrossTenantPool;

  constructor(tenancy: Tenancy, workers: CrossTenantPool) {
    this.#tenancy = tenancy;
    this.#workers = workers;
  }

  /** @throws Fault `not_found` */
  async read({ tenant_id }: KernelRequest<'tenant.read'>): Promise<TenantView> {
    requireId('tenant', tenant_id);
    const select = { name: true, created_at: true, closed_at: true, closed_by: true, close_reason: true } as const;
    const found = await this.#tenancy.within(
      tenant_id,
      async (rows) => await rows.tenant.findUnique({ where: { tenant_id }, select }),
    );
    return tenantView(tenant_id, plainRow(requireFound(found)));
  }

  /** Newest first. @throws Fault `request.malformed` */
  async list({ page, open }: KernelRequest<'tenant.list'>): Promise<ListPage<TenantView>> {
    const { created_at, id } = parseCursor(page.cursor);
    const found = await kernelSql.listTenants(this.#workers.pool, { created_at, id, open, rows: page.limit + 1 });
    return fittedPage(
      found.map(({ tenant_id, ...tenant }) => tenantView(tenant_id, tenant)),
      page.limit,
      (view) => ({ created_at: view.created_at, id: view.tenant_id }),
    );
  }
}
