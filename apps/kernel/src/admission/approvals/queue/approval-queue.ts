// SPDX-License-Identifier: Apache-2.0
import type { ApprovalBrief, ApprovalGroups, KernelRequest } from '@writ/contract';
import { inTenant } from '@writ/database';
import type { TenantPool } from '../../../foundation/database/pools.ts';
import { briefStatement, viewBrief, type BriefRow } from './brief-row.ts';
import { groupsStatement, viewGroups, type GroupRow } from './groups.ts';
import { pagesOf } from './order.ts';
import { conditionOf, StatementValues } from './selection.ts';

/**
 * Shows many approvals at once. INVARIANT (nothing sealed): no statement here reads kernel.payload. So an answer costs
 * no decryption, and has nothing that a role may not see.
 */
export class ApprovalQueue {
  readonly #tenants: TenantPool;

  constructor(tenants: TenantPool) {
    this.#tenants = tenants;
  }

  /** @throws Fault `auth.role`, `request.malformed` */
  async list({
    page,
    order = 'newest',
    ...selection
  }: KernelRequest<'approval.brief'>): Promise<{ items: ApprovalBrief[]; next_cursor: string | null }> {
    const values = new StatementValues();
    const where = conditionOf(selection, values);
    const pages = pagesOf(order, selection, page.cursor, values);
    const statement = briefStatement(`${where} AND ${pages.after}`, pages.orderBy, values.add(page.limit + 1));
    const rows = await this.#query<BriefRow>(selection.caller.tenant_id, statement, values);
    const items = rows.slice(0, page.limit).map(viewBrief);
    const last = items.at(-1);
    return { items, next_cursor: rows.length <= page.limit || last === undefined ? null : pages.cursorAfter(last) };
  }

  /** Counts the waiting approvals that are alike. @throws Fault `auth.role` */
  async groups({ order, ...selection }: KernelRequest<'approval.groups'>): Promise<ApprovalGroups> {
    const values = new StatementValues();
    const where = conditionOf({ ...selection, state: 'pending' }, values);
    return viewGroups(await this.#query<GroupRow>(selection.caller.tenant_id, groupsStatement(where, order), values));
  }

  async #query<Row extends object>(tenantId: string, statement: string, { all }: StatementValues): Promise<Row[]> {
    const rows = async (client: { query: <R extends object>(s: string, v: unknown[]) => Promise<{ rows: R[] }> }) =>
      (await client.query<Row>(statement, all)).rows;
    return await inTenant(this.#tenants.pool, tenantId, rows, { readOnly: true });
  }
}
