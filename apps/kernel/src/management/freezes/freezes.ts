// SPDX-License-Identifier: Apache-2.0
import { type Caller, type FreezeView, type KernelRequest } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import type { ListPage } from '@writ/paging';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { SeenFreeze } from '../../foundation/database/functions/freezes.ts';
import { requireFound, requireId, requireRole } from '../../foundation/tenancy/index.ts';
import { ownerOf } from '../../execution/freezes/index.ts';
import { freezeView } from './freeze-view.ts';

/** Shows the freezes of the tenant and of the deployment. */
export class Freezes {
  readonly #tenants: TenantPool;

  constructor(tenants: TenantPool) {
    this.#tenants = tenants;
  }

  /** @throws Fault `not_found`, `auth.role` */
  async read({ caller, freeze_id }: KernelRequest<'freeze.read'>): Promise<FreezeView> {
    requireReader(caller);
    const { freeze, now } = await readFreeze(this.#tenants, caller, freeze_id);
    return freezeView(freeze, now);
  }

  /** Newest first. @throws Fault `auth.role`, `request.malformed` */
  async list({ caller, page, standing }: KernelRequest<'freeze.list'>): Promise<ListPage<FreezeView>> {
    requireReader(caller);
    const after = parseCursor(page.cursor);
    const { now, freezes } = await kernelSql.listFreezes(this.#tenants.pool, {
      tenant: ownerOf(caller).tenant,
      created_at: after.created_at,
      id: after.id,
      standing,
      rows: page.limit + 1,
    });
    return fittedPage(
      freezes.map((row) => freezeView(row, now)),
      page.limit,
      ({ created_at, freeze_id }) => ({ created_at, id: freeze_id }),
    );
  }
}

/** @throws Fault `not_found` for a freeze that belongs to neither the tenant nor the deployment */
export async function readFreeze(tenants: TenantPool, caller: Caller | null, freezeId: string): Promise<SeenFreeze> {
  requireId('freeze', freezeId);
  return requireFound(await kernelSql.readFreeze(tenants.pool, { tenant: ownerOf(caller).tenant, freeze: freezeId }));
}

function requireReader(caller: Caller | null): void {
  if (caller !== null) requireRole(caller, 'admin', 'operator', 'auditor');
}
