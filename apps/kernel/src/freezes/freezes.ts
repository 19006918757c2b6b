// SPDX-License-Identifier: Apache-2.0
import { type Caller, type FreezeView, type KernelRequest } from '@writ/contract';
import { callKernel, fittedPage, parseCursor, type FreezeRow, type Listed, type TenantPool } from '../store/index.ts';
import { found, requireId, requireRole } from '../tenancy/index.ts';
import { ownerOf } from './freeze-record.ts';
import { freezeView } from './freeze-view.ts';

/** A freeze, and the database's clock when it was read, in milliseconds. */
export interface SeenFreeze {
  readonly now: number;
  readonly freeze: FreezeRow;
}

/** Shows freezes: the tenant's own and the deployment's. */
export class Freezes {
  readonly #tenants: TenantPool;

  constructor(tenants: TenantPool) {
    this.#tenants = tenants;
  }

  /** @throws Fault `not_found`, `auth.role` */
  async read({ caller, freeze_id }: KernelRequest<'freeze.read'>): Promise<FreezeView> {
    requireEyes(caller);
    const { freeze, now } = await readFreeze(this.#tenants, caller, freeze_id);
    return freezeView(freeze, now);
  }

  /** Newest first. @throws Fault `auth.role`, `request.malformed` */
  async list({ caller, page, standing }: KernelRequest<'freeze.list'>): Promise<Listed<FreezeView>> {
    requireEyes(caller);
    const after = parseCursor(page.cursor);
    const { now, freezes } = await callKernel<{ now: number; freezes: FreezeRow[] }>(
      this.#tenants.pool,
      'list_freezes',
      [ownerOf(caller).tenant, after.created_at, after.id, standing, page.limit + 1],
    );
    return fittedPage(
      freezes.map((row) => freezeView(row, now)),
      page.limit,
      ({ created_at, freeze_id }) => ({ created_at, id: freeze_id }),
    );
  }
}

/** @throws Fault `not_found` for one that is neither the tenant's nor the deployment's */
export async function readFreeze(tenants: TenantPool, caller: Caller | null, freezeId: string): Promise<SeenFreeze> {
  requireId('freeze', freezeId);
  return found(await callKernel<SeenFreeze | null>(tenants.pool, 'read_freeze', [ownerOf(caller).tenant, freezeId]));
}

function requireEyes(caller: Caller | null): void {
  if (caller !== null) requireRole(caller, 'admin', 'operator', 'auditor');
}
