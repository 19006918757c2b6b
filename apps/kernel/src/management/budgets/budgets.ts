// SPDX-License-Identifier: Apache-2.0
import { Fault, isId, type BudgetSetting, type BudgetView, type KernelRequest } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { ListPage } from '@writ/paging';
import { contentDigest, type ChangeRecord, type Changes } from '../../evidence/changes/index.ts';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import {
  callIn,
  newestFirst,
  plainRow,
  requireFound,
  requireId,
  requireRole,
  rowsAfter,
  type Rows,
  type Tenancy,
} from '../../foundation/tenancy/index.ts';
import { budgetView, periodOf, type BudgetRow } from './budget-view.ts';

/** More budgets of one tenant than anybody reads; each call looks up those that bound it. */
const BUDGETS_MAX = 1_000;

/**
 * Budgets of a tenant per day and month. INVARIANT (wholly before or wholly after): a call is admitted before a change
 * of a budget, or is counted under it.
 */
export class Budgets {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;

  constructor(tenancy: Tenancy, changes: Changes) {
    this.#tenancy = tenancy;
    this.#changes = changes;
  }

  /**
   * Makes the budget, or sets the limit of the one of the same subject, period, measure and currency. What was used of
   * the present period stays used. A limit that it has already is no change, and has no record.
   * @throws Fault `auth.role`, `request.malformed`, `not_found` for an unknown agent or group, `limit.exceeded`
   */
  async set({ caller, budget }: KernelRequest<'budget.set'>): Promise<BudgetView> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id } = caller;
    const key = keyOf(tenant_id, budget);
    return await this.#changes.make<BudgetView>(tenant_id, async (rows, now) => {
      // Waits for the decisions under way, and later ones wait for it.
      await callIn(rows, kernelSql.changeRules, { tenant: tenant_id });
      await requireSubject(rows, tenant_id, budget);
      const before = await rows.period_budget.findFirst({ where: key });
      if (before !== null && Number(before.bound) === budget.limit)
        return { value: await viewIn(rows, plainRow(before), now), records: [] };
      if (before === null && (await rows.period_budget.count({ where: { tenant_id } })) >= BUDGETS_MAX)
        throw new Fault('limit.exceeded', `a tenant has ${BUDGETS_MAX} budgets at most`);
      const row: BudgetRow = {
        ...(before === null
          ? { budget_id: newId('budget'), ...key, created_at: now, created_by: api_key_id }
          : plainRow(before)),
        bound: budget.limit,
        changed_at: now,
        changed_by: api_key_id,
      };
      if (before === null) await rows.period_budget.createMany({ data: [row] });
      else await changeBound(rows, row, now);
      return {
        value: await viewIn(rows, row, now),
        records: [recordOf(api_key_id, 'budget_set', row.budget_id, contentDigest(budget))],
      };
    });
  }

  /** @throws Fault `auth.role`, `not_found` */
  async read({ caller, budget_id }: KernelRequest<'budget.read'>): Promise<BudgetView> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    requireId('budget', budget_id);
    return await this.#tenancy.within(caller.tenant_id, async (rows, now) =>
      viewIn(rows, await budgetIn(rows, caller.tenant_id, budget_id), now),
    );
  }

  /** Newest first. @throws Fault `auth.role`, `request.malformed` */
  async list({ caller, page }: KernelRequest<'budget.list'>): Promise<ListPage<BudgetView>> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    const { tenant_id } = caller;
    const items = await this.#tenancy.within(tenant_id, async (rows, now) => {
      const found = await rows.period_budget.findMany({
        where: { ...rowsAfter(parseCursor(page.cursor), 'budget_id'), tenant_id },
        orderBy: newestFirst('budget_id'),
        take: page.limit + 1,
      });
      return await viewsIn(rows, found.map(plainRow), now);
    });
    return fittedPage(items, page.limit, ({ created_at, budget_id: id }) => ({ created_at, id }));
  }

  /**
   * Deletes the budget with the count of its use: one of the same kind that is set afterwards starts at 0.
   * @throws Fault `auth.role`, `not_found`
   */
  async delete({ caller, budget_id }: KernelRequest<'budget.delete'>): Promise<BudgetView> {
    requireRole(caller, 'admin');
    requireId('budget', budget_id);
    const { tenant_id, api_key_id } = caller;
    return await this.#changes.make<BudgetView>(tenant_id, async (rows, now) => {
      await callIn(rows, kernelSql.changeRules, { tenant: tenant_id });
      const value = await viewIn(rows, await budgetIn(rows, tenant_id, budget_id), now);
      await rows.period_budget.deleteMany({ where: { tenant_id, budget_id } });
      return { value, records: [recordOf(api_key_id, 'budget_deleted', budget_id, null)] };
    });
  }
}

function keyOf(tenant_id: string, { subject, period, measure, currency = null }: BudgetSetting) {
  if ((subject.kind === 'tenant') !== (subject.id === null))
    throw new Fault('request.malformed', 'a budget of the whole tenant names no `id`, and every other one does', {
      pointer: '/subject/id',
    });
  if (subject.kind === 'api_key' && !isId('apiKey', subject.id))
    throw new Fault('request.malformed', 'the id of an API key begins with `key_`', { pointer: '/subject/id' });
  if ((measure === 'cost') !== (currency !== null))
    throw new Fault('request.malformed', 'a budget of `cost` names its `currency`, and no other one does', {
      pointer: '/currency',
    });
  return { tenant_id, subject_kind: subject.kind, subject: subject.id ?? tenant_id, period, measure, currency };
}

async function requireSubject(rows: Rows, tenant_id: string, { subject: { kind, id } }: BudgetSetting): Promise<void> {
  if (id === null || (kind !== 'agent' && kind !== 'group')) return;
  const found =
    kind === 'agent'
      ? await rows.agent.findFirst({ where: { tenant_id, agent_id: id }, select: { agent_id: true } })
      : await rows.approver_group.findFirst({ where: { tenant_id, name: id }, select: { name: true } });
  if (found === null) throw new Fault('not_found', `there is no ${kind} \`${id}\``, { pointer: '/subject/id' });
}

/**
 * Sets the bound, and takes back what parts of the present period hold unused. No call is being admitted meanwhile, so
 * no part is in use.
 */
async function changeBound(rows: Rows, row: BudgetRow, now: number): Promise<void> {
  const { budget_id, tenant_id, bound, changed_at, changed_by } = row;
  await rows.period_budget.updateMany({ where: { tenant_id, budget_id }, data: { bound, changed_at, changed_by } });
  const { starts_at } = periodOf(row.period, now);
  await rows.$executeRaw`UPDATE kernel.period_use SET granted = used
    WHERE budget_id = ${budget_id} AND starts_at = ${starts_at}::bigint AND granted <> used`;
}

const recordOf = (actor: string, verb: string, subject: string, digest: string | null): ChangeRecord => ({
  kind: 'change',
  actor,
  change: { verb, subject, digest },
});

async function budgetIn(rows: Rows, tenant_id: string, budget_id: string): Promise<BudgetRow> {
  return plainRow(requireFound(await rows.period_budget.findFirst({ where: { tenant_id, budget_id } })));
}

async function viewIn(rows: Rows, row: BudgetRow, now: number): Promise<BudgetView> {
  const [view] = await viewsIn(rows, [row], now);
  return requireFound(view ?? null);
}

async function viewsIn(rows: Rows, budgets: readonly BudgetRow[], now: number): Promise<BudgetView[]> {
  const starts = ['day', 'month'].map((period) => BigInt(periodOf(period, now).starts_at));
  const sums = await rows.period_use.groupBy({
    by: ['budget_id', 'starts_at'],
    where: { budget_id: { in: budgets.map(({ budget_id }) => budget_id) }, starts_at: { in: starts } },
    _sum: { used: true },
  });
  const used = new Map(sums.map(({ budget_id, starts_at, _sum }) => [`${budget_id} ${starts_at}`, Number(_sum.used)]));
  return budgets.map((row) =>
    budgetView(row, used.get(`${row.budget_id} ${periodOf(row.period, now).starts_at}`) ?? 0, now),
  );
}
