// SPDX-License-Identifier: Apache-2.0
import { SHELL_SESSION, type Caller, type KernelRequest, type ContainerView } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import type { ListPage } from '@writ/paging';
import type { TenantPool, CrossTenantPool } from '../../foundation/database/pools.ts';
import { requireFound, requireRole } from '../../foundation/tenancy/index.ts';

/** Shows the containers that have a call or a session. A tenant sees its own, and the platform key sees all. */
export class Containers {
  readonly #tenants: TenantPool;
  readonly #workers: CrossTenantPool;

  constructor(tenants: TenantPool, workers: CrossTenantPool) {
    this.#tenants = tenants;
    this.#workers = workers;
  }

  /** Newest first. @throws Fault `auth.role`, `request.malformed` */
  async list({ caller, page }: KernelRequest<'container.list'>): Promise<ListPage<ContainerView>> {
    if (caller !== null) requireRole(caller, 'admin', 'operator', 'auditor');
    const rows = await this.#read(caller, null, page.cursor, page.limit + 1);
    return fittedPage(rows, page.limit, ({ created_at, container_id }) => ({ created_at, id: container_id }));
  }

  /** @throws Fault `not_found` for one that belongs to another tenant, has ended or never existed */
  async find(caller: Caller | null, containerId: string): Promise<ContainerView> {
    const [row] = await this.#read(caller, containerId, null, 1);
    return requireFound(row);
  }

  async #read(caller: Caller | null, id: string | null, cursor: string | null, rows: number): Promise<ContainerView[]> {
    const before = parseCursor(cursor);
    const pool = caller === null ? this.#workers.pool : this.#tenants.pool;
    return await kernelSql.containers(pool, {
      tenant: caller?.tenant_id ?? null,
      session_tool: SHELL_SESSION.tool_id,
      id,
      before: before.created_at,
      before_id: before.id,
      rows,
    });
  }
}
