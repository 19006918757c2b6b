// SPDX-License-Identifier: Apache-2.0
import type { KernelRequest, SandboxView, SandboxWhole } from '@writ/contract';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import type { Listed } from '@writ/paging';
import { requireRole, type Tenancy } from '../../foundation/tenancy/index.ts';
import { isStanding, sandboxView, sandboxWhole, standingSandbox } from './sandbox-row.ts';

/** Shows a tenant's sandboxes to the people who manage them. */
export class ListSandboxes {
  readonly #tenancy: Tenancy;

  constructor(tenancy: Tenancy) {
    this.#tenancy = tenancy;
  }

  /** By name. @throws Fault `auth.role`, `request.malformed` */
  async list({ caller, page }: KernelRequest<'sandbox.list'>): Promise<Listed<SandboxView>> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    const { tenant_id } = caller;
    const { id: after } = page.cursor === null ? { id: '' } : parseCursor(page.cursor);
    const where = { tenant_id, name: { gt: after }, definition: { not: null } };
    const rows = await this.#tenancy.within(tenant_id, (tables) =>
      tables.sandbox.findMany({ where, orderBy: { name: 'asc' }, take: page.limit + 1 }),
    );
    return fittedPage(rows.filter(isStanding).map(sandboxView), page.limit, ({ name }) => ({
      created_at: 0,
      id: name,
    }));
  }

  /** @throws Fault `auth.role`, `not_found` */
  async read({ caller, name }: KernelRequest<'sandbox.read'>): Promise<SandboxWhole> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    return await this.#tenancy.within(
      caller.tenant_id,
      async (rows) => await sandboxWhole(rows, await standingSandbox(rows, caller.tenant_id, name)),
    );
  }
}
