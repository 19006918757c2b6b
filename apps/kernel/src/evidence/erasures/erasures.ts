// SPDX-License-Identifier: Apache-2.0
import type { ErasureView, KernelRequest } from '@writ/contract';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import type { ListPage } from '@writ/paging';
import type { ErasureRow } from '../../foundation/rows/erasure-row.ts';
import {
  requireFound,
  newestFirst,
  plainRow,
  requireId,
  requireRole,
  rowsAfter,
  type Tenancy,
} from '../../foundation/tenancy/index.ts';
import { erasureView } from './erasure-row.ts';

/** Shows erasures: those that were requested, and those of retention. */
export class Erasures {
  readonly #tenancy: Tenancy;

  constructor(tenancy: Tenancy) {
    this.#tenancy = tenancy;
  }

  /** @throws Fault `auth.role`, `not_found` */
  async read({ caller, erasure_id }: KernelRequest<'erasure.read'>): Promise<ErasureView> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    requireId('erasure', erasure_id);
    const { tenant_id } = caller;
    return await this.#tenancy.within(tenant_id, async (rows) =>
      erasureView(
        plainRow(requireFound(await rows.erasure.findFirst({ where: { tenant_id, erasure_id } }))) as ErasureRow,
      ),
    );
  }

  /** Newest first. @throws Fault `auth.role`, `request.malformed` */
  async list({ caller, page }: KernelRequest<'erasure.list'>): Promise<ListPage<ErasureView>> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    const { tenant_id } = caller;
    const items = await this.#tenancy.within(
      tenant_id,
      async (rows) =>
        await rows.erasure.findMany({
          where: { AND: [rowsAfter(parseCursor(page.cursor), 'erasure_id')], tenant_id },
          orderBy: newestFirst('erasure_id'),
          take: page.limit + 1,
        }),
    );
    return fittedPage(
      items.map((row) => erasureView(plainRow(row) as ErasureRow)),
      page.limit,
      ({ created_at, erasure_id }) => ({ created_at, id: erasure_id }),
    );
  }
}
