// SPDX-License-Identifier: Apache-2.0
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { requestBy, callerOf, pagesOf, refusalOf, type TestManagement } from '../../specs/test-management.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { newId } from '@writ/nest-kit';

let kernel: TestKernel;
let manage: TestManagement;
openKernelSpec((on) => {
  ({ kernel, manage } = on);
});

const first = { cursor: null, limit: 200 };

describe('an agent', () => {
  it('is made by an administrator, with a record in the same transaction', async () => {
    const tenant = await kernel.newTenant();
    const admin = callerOf(tenant.tenantId);
    const agent = await manage.agents.create({ ...requestBy(admin), name: 'coder' });
    expect(await manage.agents.read({ ...requestBy(admin), agent_id: agent.agent_id })).toEqual(agent);
    const [record] = await tenant.records();
    expect(record).toMatchObject({
      kind: 'change',
      actor: admin.api_key_id,
      agent_id: agent.agent_id,
      recorded_at: agent.created_at,
      change: { verb: 'agent_created', subject: agent.agent_id },
    });
  });

  it.each(['operator', 'agent', 'auditor'] as const)(
    'is not made by the role %s, and nothing is recorded',
    async (role) => {
      const tenant = await kernel.newTenant();
      await expect(
        manage.agents.create({ ...requestBy(callerOf(tenant.tenantId, role, tenant.agentId)), name: 'x' }),
      ).rejects.toMatchObject({ code: 'auth.role' });
      expect(await tenant.countOf('outbox')).toBe(0);
    },
  );

  it('is not made for an unknown tenant', async () => {
    await expect(manage.agents.create({ ...requestBy(callerOf(newId('tenant'))), name: 'x' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('of another tenant, an unknown one and an invalid id get the same answer', async () => {
    const [mine, theirs] = [await kernel.newTenant(), await kernel.newTenant()];
    const ask = (agent_id: string) =>
      refusalOf(manage.agents.read({ ...requestBy(callerOf(mine.tenantId)), agent_id }));
    const answers = await Promise.all([theirs.agentId, newId('agent'), newId('tenant'), 'x\0', '\ud800'].map(ask));
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set([JSON.stringify({ code: 'not_found', message: 'there is no such thing here' })]),
    );
  });

  it('sees only itself with its own key', async () => {
    const tenant = await kernel.newTenant();
    const other = await manage.agents.create({ ...requestBy(callerOf(tenant.tenantId)), name: 'other' });
    const key = callerOf(tenant.tenantId, 'agent', tenant.agentId);
    expect(await manage.agents.read({ ...requestBy(key), agent_id: tenant.agentId })).toMatchObject({
      agent_id: tenant.agentId,
    });
    expect((await refusalOf(manage.agents.read({ ...requestBy(key), agent_id: other.agent_id }))).code).toBe(
      'not_found',
    );
    expect((await manage.agents.list({ ...requestBy(key), page: first })).items.map((agent) => agent.agent_id)).toEqual(
      [tenant.agentId],
    );
    await expect(
      manage.agents.list({ ...requestBy(callerOf(tenant.tenantId, 'agent')), page: first }),
    ).rejects.toMatchObject({ code: 'auth.role' });
  });
});

describe('a list of agents', () => {
  it('is read to its end, newest first, each row once, while agents are added', async () => {
    const tenant = await kernel.newTenant();
    const admin = callerOf(tenant.tenantId);
    const made = [tenant.agentId];
    for (let at = 0; at < 12; at += 1)
      made.push((await manage.agents.create({ ...requestBy(admin), name: `a${at}` })).agent_id);
    // Many have the same time, so they are sorted by id.
    await tenant.query('UPDATE kernel.agent SET created_at = 1000 WHERE tenant_id = $1', [tenant.tenantId]);
    const pages = await pagesOf(5, async (page) => {
      await Promise.all([1, 2, 3].map(() => manage.agents.create({ ...requestBy(admin), name: 'later' })));
      return await manage.agents.list({ ...requestBy(admin), page });
    });
    const walked = pages.flat().map((agent) => agent.agent_id);
    expect(new Set(walked).size).toBe(walked.length);
    expect(walked.filter((id) => made.includes(id))).toEqual(made.toSorted().toReversed());
    // The list has all agents from before the first page, newest first.
    expect(walked).toHaveLength(made.length + 3);
  });

  it("has no agents of another tenant with that tenant's cursor", async () => {
    const [mine, theirs] = [await kernel.newTenant(), await kernel.newTenant()];
    for (const tenant of [mine, theirs])
      for (const name of ['x', 'y']) await manage.agents.create({ ...requestBy(callerOf(tenant.tenantId)), name });
    const { next_cursor } = await manage.agents.list({
      ...requestBy(callerOf(theirs.tenantId)),
      page: { cursor: null, limit: 1 },
    });
    const { items } = await manage.agents.list({
      ...requestBy(callerOf(mine.tenantId)),
      page: { cursor: next_cursor, limit: 200 },
    });
    const own = (await manage.agents.list({ ...requestBy(callerOf(mine.tenantId)), page: first })).items;
    expect(own).toEqual(expect.arrayContaining([...items]));
  });

  it.each(['x', '', 'bm90LmEuY3Vyc29y', '\0', '🦆'])('with the cursor %j is refused', async (cursor) => {
    const { tenantId } = await kernel.newTenant();
    await expect(
      manage.agents.list({ ...requestBy(callerOf(tenantId)), page: { cursor, limit: 1 } }),
    ).rejects.toMatchObject({ code: 'request.malformed' });
  });
});
