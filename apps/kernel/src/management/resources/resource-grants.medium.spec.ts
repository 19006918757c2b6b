// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_RESOURCE_GRANTS, type ResourceGrant } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { contentDigest } from '../../evidence/changes/index.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { callerOf, pagesOf, refusalOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let manage: TestManagement;
let tenant: TestTenant;
let storeId: string;
openKernelSpec((on) => {
  ({ kernel, manage } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  ({ resource_id: storeId } = await manage.resources.create({
    ...requestBy(admin()),
    kind: 'info_store',
    name: 'handbook',
    settings: { backend: { kind: 'local' }, label: 'private_data' },
  }));
});

const admin = () => callerOf(tenant.tenantId);
const grantOf = (more: Partial<ResourceGrant> = {}): ResourceGrant => ({
  kind: 'info_store',
  resource_id: storeId,
  right: 'use',
  agent_id: tenant.agentId,
  clearance: 'autopilot',
  ...more,
});
const set = (more: Partial<ResourceGrant> = {}, caller = admin()) =>
  manage.resourceGrants.set({ ...requestBy(caller), grant: grantOf(more) });
const remove = (resource_grant_id: string, caller = admin()) =>
  manage.resourceGrants.remove({ ...requestBy(caller), resource_grant_id });
const list = async (more: object = {}, caller = admin()) =>
  (
    await manage.resourceGrants.list({
      ...requestBy(caller),
      page: { cursor: null, limit: 200 },
      kind: null,
      resource_id: null,
      agent_id: null,
      ...more,
    })
  ).items;

describe('a grant of a resource', () => {
  it('is set, changed, listed and removed, each change with its record', async () => {
    const set1 = await set();
    expect(set1).toMatchObject({ ...grantOf(), name: 'handbook' });
    expect(await set()).toEqual(set1);
    const set2 = await set({ clearance: 'escalated' });
    expect(set2).toMatchObject({ resource_grant_id: set1.resource_grant_id, clearance: 'escalated' });
    expect(await list({ resource_id: storeId })).toEqual([set2]);
    expect(await remove(set1.resource_grant_id)).toEqual(set2);
    expect(await list({ resource_id: storeId })).toEqual([]);
    expect(await refusalOf(remove(set1.resource_grant_id))).toMatchObject({ code: 'not_found' });
    const records = (await tenant.records()).slice(1);
    expect(records.map(({ change }) => change)).toEqual(
      [
        ['resource_granted', 'autopilot'] as const,
        ['resource_granted', 'escalated'] as const,
        ['resource_grant_removed', 'escalated'] as const,
      ].map(([verb, clearance]) => ({
        verb,
        subject: 'info_store:handbook',
        digest: contentDigest(grantOf({ clearance })),
      })),
    );
    expect(records.map(({ agent_id }) => agent_id)).toEqual(records.map(() => tenant.agentId));
  });

  it('of a kind is for every resource of it, or to make some', async () => {
    const kind = await set({ resource_id: null, agent_id: null });
    const make = await set({ resource_id: null, right: 'create', clearance: 'soft_gate' });
    expect([kind.name, make.name]).toEqual([null, null]);
    expect(await list({ kind: 'info_store' })).toEqual([make, kind]);
    expect((await tenant.records()).at(-1)?.change).toMatchObject({ subject: 'info_store:*' });
  });

  it('is listed for the agent that it counts for', async () => {
    const other = await manage.agents.create({ ...requestBy(admin()), name: 'other' });
    const [mine, every] = [await set(), await set({ agent_id: null })];
    expect(await list({ kind: 'info_store', agent_id: tenant.agentId })).toEqual([every, mine]);
    expect(await list({ kind: 'info_store', agent_id: other.agent_id })).toEqual([every]);
  });

  it('is listed page by page', async () => {
    const pages = await pagesOf(3, (page) =>
      manage.resourceGrants.list({ ...requestBy(admin()), page, kind: null, resource_id: null, agent_id: null }),
    );
    expect(pages.flat()).toHaveLength(DEFAULT_RESOURCE_GRANTS.length);
    expect(new Set(pages.flat().map(({ resource_grant_id }) => resource_grant_id)).size).toBe(pages.flat().length);
  });

  it('names a resource of its kind and an agent of the tenant', async () => {
    const other = await kernel.newTenant();
    const unknown = { code: 'resource.unknown', pointer: '/resource_id' };
    const answers = await Promise.all([
      refusalOf(set({ resource_id: newId('resource') })),
      refusalOf(set({ kind: 'mailbox' })),
      refusalOf(
        manage.resourceGrants.set({
          ...requestBy(callerOf(other.tenantId)),
          grant: grantOf({ agent_id: other.agentId }),
        }),
      ),
    ]);
    for (const answer of answers) expect(answer).toEqual({ ...answers[0], ...unknown });
    for (const agent_id of [other.agentId, newId('agent')])
      expect(await refusalOf(set({ agent_id }))).toMatchObject({ code: 'not_found', pointer: '/agent_id' });
  });

  it('to create, and one of tasks, names no resource', async () => {
    for (const more of [{ right: 'create' }, { kind: 'task' }] as const)
      expect(await refusalOf(set(more))).toMatchObject({ code: 'request.malformed', pointer: '/resource_id' });
  });

  it('is set and removed by administrators, and read by operators and auditors', async () => {
    const { resource_grant_id } = await set();
    for (const role of ['operator', 'auditor', 'agent'] as const) {
      const caller = callerOf(tenant.tenantId, role, tenant.agentId);
      expect(await refusalOf(set({}, caller))).toMatchObject({ code: 'auth.role' });
      expect(await refusalOf(remove(resource_grant_id, caller))).toMatchObject({ code: 'auth.role' });
      if (role === 'agent') expect(await refusalOf(list({}, caller))).toMatchObject({ code: 'auth.role' });
      else expect(await list({ resource_id: storeId }, caller)).toHaveLength(1);
    }
  });

  it('goes with its resource', async () => {
    await set();
    await manage.resources.remove({ ...requestBy(admin()), resource_id: storeId });
    expect(await list({ kind: 'info_store' })).toEqual([]);
  });
});
