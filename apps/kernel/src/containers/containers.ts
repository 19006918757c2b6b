// SPDX-License-Identifier: Apache-2.0
import { SHELL_SESSION, type Caller, type KernelRequest, type SandboxView } from '@writ/contract';
import { callKernel, fittedPage, parseCursor, type Listed, type TenantPool, type WorkerPool } from '../store/index.ts';
import { found, requireRole } from '../tenancy/index.ts';

/** Shows the containers that have a call or a session: a tenant its own, the platform key all. */
export class Sandboxes {
  readonly #tenants: TenantPool;
  readonly #workers: WorkerPool;

  constructor(tenants: TenantPool, workers: WorkerPool) {
    this.#tenants = tenants;
    this.#workers = workers;
  }

  /** Newest first. @throws Fault `auth.role`, `request.malformed` */
  async list({ caller, page }: KernelRequest<'sandbox.list'>): Promise<Listed<SandboxView>> {
    if (caller !== null) requireRole(caller, 'admin', 'operator', 'auditor');
    const rows = await this.#read(caller, null, page.cursor, page.limit + 1);
    return fittedPage(rows, page.limit, ({ created_at, sandbox_id }) => ({ created_at, id: sandbox_id }));
  }

  /** @throws Fault `not_found` for one that is another tenant's, has ended or never was */
  async find(caller: Caller | null, sandboxId: string): Promise<SandboxView> {
    const [row] = await this.#read(caller, sandboxId, null, 1);
    return found(row);
  }

  async #read(caller: Caller | null, id: string | null, cursor: string | null, rows: number): Promise<SandboxView[]> {
    const before = parseCursor(cursor);
    const pool = caller === null ? this.#workers.pool : this.#tenants.pool;
    return await callKernel<SandboxView[]>(pool, 'sandboxes', [caller?.tenant_id ?? null, SHELL_SESSION.tool_id, id, before.created_at, before.id, rows]);
  }
}
