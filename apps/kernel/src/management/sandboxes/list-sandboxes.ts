// SPDX-License-Identifier: Apache-2.0
import type { KernelRequest, SandboxView, SandboxDetails } from '@writ/contract';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import type { ListPage } from '@writ/paging';
import { requireRole, type Tenancy } from '../../foundation/tenancy/index.ts';
import { isRegistered, sandboxView, fullSandboxView, findSandbox } from './sandbox-row.ts';

/** Shows a tenant's sandboxes to the roles that manage them. */
export class ListSandboxes {
  readonly #tenancy: Tenancy;

  constructor(tenancy: Tenancy) {
    this.#tenancy = tenancy;
  }

  /** By name. @throws Fault `auth.role`, `request.malformed` */
  async list({ caller, page }: KernelRequest<'sandbox.list'>): Promise<ListPage<SandboxView>> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    const { tenant_id } = caller;
    const { id: after } = page.cursor === null ? { id: '' } : parseCursor(page.cursor);
    const where = { tenant_id, name: { gt: after }, definition: { not: null } };
    const rows = await this.#tenancy.within(tenant_id, (tables) =>
      tables.sandbox.findMany({ where, orderBy: { name: 'asc' }, take: page.limit + 1 }),
    );
    return fittedPage(rows.filter(isRegistered).map(sandboxView), page.limit, ({ name }) => ({
      created_at: 0,
      id: name,
    }));
  }

  /** @throws Fault `auth.role`, `not_found` */
  async read({ caller, name }: KernelRequest<'sandbox.read'>): Promise<SandboxDetails> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    return await this.#tenancy.within(
      caller.tenant_id,
      async (rows) => await fullSandboxView(rows, await findSandbox(rows, caller.tenant_id, name)),
    );
  }
}
