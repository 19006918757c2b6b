// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, SERVICE_ACCOUNT, type ApproverGroupView, type KernelRequest } from '@writ/contract';
import { requireMatch } from '@writ/nest-kit';
import type { ListPage } from '@writ/paging';
import { contentDigest, type ChangeRecord, type Changes } from '../../evidence/changes/index.ts';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { callIn, requireFound, requireRole, type Rows, type Tenancy } from '../../foundation/tenancy/index.ts';
import { activeRow } from '../../judging/policies/index.ts';
import type { PolicySets } from '../../judging/policies/policy-sets.ts';

/** What a group is: a vote is counted by its members as they are then. */
interface GroupContent {
  readonly description: string;
  readonly members: readonly string[];
}

/**
 * Manages approver groups. INVARIANT (no group vanishes under a policy): a group that the policy in force names is not
 * removed, nor one that has a budget, and no policy is activated that names one which isn't there. All of these hold
 * the tenant's rules exclusively.
 */
export class ApproverGroups {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;
  readonly #policies: PolicySets;

  constructor(tenancy: Tenancy, changes: Changes, policies: PolicySets) {
    this.#tenancy = tenancy;
    this.#changes = changes;
    this.#policies = policies;
  }

  /**
   * The group has exactly these members afterwards. The same again changes nothing. Without a description it keeps its
   * own.
   * @throws Fault `auth.role`, `request.malformed` for a service account, `precondition.failed`, `limit.exceeded`
   */
  async put(request: KernelRequest<'approver_group.put'>): Promise<ApproverGroupView> {
    const { caller, name, members, description, if_match } = request;
    requireRole(caller, 'admin');
    const service = members.findIndex((member) => SERVICE_ACCOUNT.test(member));
    if (service >= 0)
      throw new Fault('request.malformed', 'a service account decides nothing, so it is in no group: name persons', {
        pointer: `/members/${String(service)}`,
      });
    const { tenant_id, api_key_id: by } = caller;
    return await this.#changes.make(tenant_id, async (rows, now) => {
      await lockGroups(rows, tenant_id);
      const before = await readGroup(rows, tenant_id, name);
      requireMatch(if_match, before);
      const after = { description: description ?? before?.description ?? '', members: [...members].sort() };
      if (before !== null && contentDigest(contentOf(before)) === contentDigest(after))
        return { value: before, records: [] };
      if (before === null) await requireRoom(rows, tenant_id);
      await writeGroup(rows, { tenant_id, name, by, now }, before, after);
      const view = requireFound(await readGroup(rows, tenant_id, name));
      const verb = before === null ? 'approver_group_created' : 'approver_group_changed';
      return { value: view, records: [recordOf(verb, by, name, contentDigest(after))] };
    });
  }

  /** By name. @throws Fault `auth.role`, `request.malformed` */
  async list({ caller, page }: KernelRequest<'approver_group.list'>): Promise<ListPage<ApproverGroupView>> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    const { tenant_id } = caller;
    const { id: after } = page.cursor === null ? { id: '' } : parseCursor(page.cursor);
    const views = await this.#tenancy.within(tenant_id, async (rows) => {
      const groups = await rows.approver_group.findMany({
        where: { tenant_id, name: { gt: after } },
        orderBy: { name: 'asc' },
        take: page.limit + 1,
      });
      const members = await membersOf(
        rows,
        tenant_id,
        groups.map(({ name }) => name),
      );
      return groups.map((group) => viewOf(group, members));
    });
    return fittedPage(views, page.limit, ({ name }) => ({ created_at: 0, id: name }));
  }

  /** @throws Fault `auth.role`, `not_found` */
  async read({ caller, name }: KernelRequest<'approver_group.read'>): Promise<ApproverGroupView> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    const { tenant_id } = caller;
    return requireFound(await this.#tenancy.within(tenant_id, (rows) => readGroup(rows, tenant_id, name)));
  }

  /**
   * Removes a group. A pending approval that is reserved for it can't be approved by its former members any more.
   * @throws Fault `auth.role`, `not_found`, `precondition.failed`, `policy.unreadable`, `conflict` for a group that the
   *   policy in force names or that has a budget
   */
  async remove({ caller, name, if_match }: KernelRequest<'approver_group.remove'>): Promise<{ removed: string }> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id: by } = caller;
    const seen = await this.#tenancy.within(tenant_id, (rows) => activeHash(rows, tenant_id));
    // It may have to be compiled, which nobody should wait for who needs the rules.
    const policy = await this.#policies.of(tenant_id, seen);
    return await this.#changes.make(tenant_id, async (rows) => {
      await callIn(rows, kernelSql.changeRules, { tenant: tenant_id });
      await lockGroups(rows, tenant_id);
      const before = requireFound(await readGroup(rows, tenant_id, name));
      requireMatch(if_match, before);
      if ((await activeHash(rows, tenant_id)) !== seen)
        throw new Fault('conflict', 'another policy set was activated meanwhile: try again');
      if (policy.groups.includes(name))
        throw new Fault('conflict', `the policy in force names the group \`${name}\`: activate another one first`);
      await requireNoBudget(rows, tenant_id, name);
      await rows.$queryRaw`SELECT 1 AS locked FROM kernel.approver_group WHERE tenant_id = ${tenant_id} AND name = ${name} FOR UPDATE`;
      await rows.approver_group_member.deleteMany({ where: { tenant_id, group_name: name } });
      await rows.approver_group.deleteMany({ where: { tenant_id, name } });
      const digest = contentDigest(contentOf(before));
      return { value: { removed: name }, records: [recordOf('approver_group_removed', by, name, digest)] };
    });
  }
}

/** A budget of a group that isn't there would bound nobody, and nobody would notice. */
async function requireNoBudget(rows: Rows, tenant_id: string, name: string): Promise<void> {
  const budget = await rows.period_budget.findFirst({
    where: { tenant_id, subject_kind: 'group', subject: name },
    select: { budget_id: true },
  });
  if (budget !== null)
    throw new Fault('conflict', `the group \`${name}\` has the budget \`${budget.budget_id}\`: delete it first`);
}

/**
 * Takes persons out of all groups, within the transaction of `rows`, which holds the tenant's rules exclusively.
 * @returns a record for each group that changed
 */
export async function leaveGroups(
  rows: Rows,
  { tenant_id, by, now }: Omit<Writing, 'name'>,
  principals: readonly string[],
): Promise<ChangeRecord[]> {
  await lockGroups(rows, tenant_id);
  const theirs = await rows.approver_group_member.findMany({
    where: { tenant_id, principal: { in: [...principals] } },
    select: { group_name: true },
  });
  const records: ChangeRecord[] = [];
  for (const name of [...new Set(theirs.map(({ group_name }) => group_name))].sort()) {
    const before = requireFound(await readGroup(rows, tenant_id, name));
    const members = before.members.filter((member) => !principals.includes(member));
    const after = { description: before.description, members };
    await writeGroup(rows, { tenant_id, name, by, now }, before, after);
    records.push(recordOf('approver_group_changed', by, name, contentDigest(after)));
  }
  return records;
}

/** Serializes changes of a tenant's groups among each other. Votes wait for a group's row alone. */
async function lockGroups(rows: Rows, tenantId: string): Promise<void> {
  await rows.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended('writ.approver_groups.' || ${tenantId}, 0))::text`;
}

const activeHash = async (rows: Rows, tenantId: string): Promise<string | null> =>
  (await activeRow(rows, tenantId))?.policy_hash ?? null;

async function requireRoom(rows: Rows, tenant_id: string): Promise<void> {
  const { max } = LIMITS.approverGroups;
  if ((await rows.approver_group.count({ where: { tenant_id } })) >= max)
    throw new Fault('limit.exceeded', `a tenant has at most ${String(max)} approver groups`);
}

interface Writing {
  readonly tenant_id: string;
  readonly name: string;
  readonly by: string;
  readonly now: number;
}

/** INVARIANT (counted as it is): the group's row is locked before its members change. */
async function writeGroup(
  rows: Rows,
  { tenant_id, name, by, now }: Writing,
  before: GroupContent | null,
  { description, members }: GroupContent,
): Promise<void> {
  const changed = { description, changed_at: BigInt(now), changed_by: by };
  if (before === null)
    await rows.approver_group.createMany({
      data: [{ tenant_id, name, created_at: BigInt(now), created_by: by, ...changed }],
    });
  else await rows.approver_group.updateMany({ where: { tenant_id, name }, data: changed });
  const [was, is] = [new Set(before?.members), new Set(members)];
  const gone = [...was].filter((member) => !is.has(member));
  const added = [...is].filter((member) => !was.has(member));
  if (gone.length > 0)
    await rows.approver_group_member.deleteMany({ where: { tenant_id, group_name: name, principal: { in: gone } } });
  // When they were added is the database's clock of now: it is compared with that of votes.
  const row = { tenant_id, group_name: name, added_by: by };
  if (added.length > 0)
    await rows.approver_group_member.createMany({ data: added.map((principal) => ({ ...row, principal })) });
}

type GroupRow = NonNullable<Awaited<ReturnType<Rows['approver_group']['findUnique']>>>;

async function readGroup(rows: Rows, tenant_id: string, name: string): Promise<ApproverGroupView | null> {
  if (name.includes('\0')) return null;
  const group = await rows.approver_group.findUnique({ where: { tenant_id_name: { tenant_id, name } } });
  return group === null ? null : viewOf(group, await membersOf(rows, tenant_id, [name]));
}

async function membersOf(
  rows: Rows,
  tenant_id: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = await rows.approver_group_member.findMany({
    where: { tenant_id, group_name: { in: [...names] } },
    select: { group_name: true, principal: true },
  });
  const grouped = Map.groupBy(found, ({ group_name }) => group_name);
  return new Map([...grouped].map(([name, members]) => [name, members.map(({ principal }) => principal).sort()]));
}

const viewOf = (group: GroupRow, members: ReadonlyMap<string, readonly string[]>): ApproverGroupView => ({
  name: group.name,
  description: group.description,
  members: [...(members.get(group.name) ?? [])],
  created_at: Number(group.created_at),
  created_by: group.created_by,
  changed_at: Number(group.changed_at),
  changed_by: group.changed_by,
});

const contentOf = ({ description, members }: GroupContent): GroupContent => ({ description, members });

const recordOf = (verb: string, actor: string, subject: string, digest: string): ChangeRecord => ({
  kind: 'change',
  actor,
  change: { verb, subject, digest },
});
