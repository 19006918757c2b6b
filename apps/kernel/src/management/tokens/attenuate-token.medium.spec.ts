// SPDX-License-Identifier: Apache-2.0
import { LIMITS, type Caller, type Grant } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { requestBy, callerOf, refusalOf, type TestManagement } from '../../specs/test-management.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { newId } from '@writ/nest-kit';

let kernel: TestKernel;
let manage: TestManagement;
openKernelSpec((on) => {
  ({ kernel, manage } = on);
});

const END = Date.now() + 3_600_000;
const grantOf = (more: Partial<Grant> = {}): Grant => ({
  tools: ['fs.*'],
  fs: [{ path: 'src', read: true, write: false }],
  net: [{ domain: '*.a.org', methods: ['GET'] }],
  secrets: ['KEY'],
  budgets: { calls: 10 },
  not_before: 1000,
  expires_at: END,
  ...more,
});

async function withParent(
  grant: Partial<Grant> = {},
): Promise<{ tenant: TestTenant; admin: Caller; key: Caller; parent: string }> {
  const tenant = await kernel.newTenant();
  const admin = callerOf(tenant.tenantId);
  const { capability_token_id } = await manage.issue.run({
    ...requestBy(admin),
    agent_id: tenant.agentId,
    workspace_id: tenant.workspaceId,
    grant: grantOf(grant),
  });
  return { tenant, admin, key: callerOf(tenant.tenantId, 'agent', tenant.agentId), parent: capability_token_id };
}
const narrow = (caller: Caller, parent_id: string, grant: Partial<Grant> = {}, agent_id: string | null = null) =>
  manage.attenuate.run({ ...requestBy(caller), parent_id, agent_id, grant: grantOf(grant) });

describe('a child token', () => {
  it('is a subset of its parent for its agent and workspace, with separate accounts and a record', async () => {
    const { tenant, key, parent } = await withParent();
    const child = await narrow(key, parent, { tools: ['fs.read'], budgets: { calls: 2, cpu_ms: 7 } });
    expect(child).toMatchObject({
      parent_id: parent,
      agent_id: tenant.agentId,
      workspace_id: tenant.workspaceId,
      issuer: key.api_key_id,
      grant: { tools: ['fs.read'], budgets: { calls: 2, cpu_ms: 7 } },
    });
    expect(await tenant.budgetOf(child.capability_token_id)).toMatchObject({
      calls: { bound: 2 },
      cpu_ms: { bound: 7 },
    });
    const {
      rows: [row],
    } = await kernel.admin.query<{ chain: string[] }>('SELECT chain FROM kernel.token WHERE capability_token_id = $1', [
      child.capability_token_id,
    ]);
    expect(row?.chain).toEqual([parent, child.capability_token_id]);
    expect((await tenant.records()).at(-1)).toMatchObject({
      kind: 'token',
      actor: key.api_key_id,
      change: { verb: 'token_attenuated', subject: child.capability_token_id },
    });
  });

  it('inherits the bound of a dimension that it leaves out', async () => {
    const { tenant, admin, parent } = await withParent();
    const child = await narrow(admin, parent, { budgets: {} });
    expect(child.grant.budgets).toEqual({ calls: 10 });
    expect(await tenant.budgetOf(child.capability_token_id)).toMatchObject({ calls: { bound: 10 } });
  });

  it.each([
    ['tools', { tools: ['*'] }],
    ['fs', { fs: [{ path: 'src', read: true, write: true }] }],
    ['fs', { fs: [{ path: '', read: true, write: false }] }],
    ['net', { net: [{ domain: 'x.a.org', methods: ['POST'] }] }],
    ['secrets', { secrets: ['OTHER'] }],
    ['budgets', { budgets: { calls: 11 } }],
    ['not_before', { not_before: 999 }],
    ['expires_at', { expires_at: END + 1 }],
  ] satisfies [string, Partial<Grant>][])(
    'that exceeds its parent in `%s` is refused with the dimension: %j',
    async (dimension, grant) => {
      const { tenant, admin, parent } = await withParent();
      const refusal = await refusalOf(narrow(admin, parent, grant));
      expect(refusal).toMatchObject({
        code: 'token.not_narrower',
        detail: expect.stringContaining(`\`${dimension}\``),
      });
      expect(await tenant.countOf('outbox')).toBe(1);
    },
  );

  it('is made only under a chain that is valid now', async () => {
    const { admin, parent } = await withParent();
    const middle = (await narrow(admin, parent)).capability_token_id;
    await manage.revoke.run({ ...requestBy(admin), capability_token_id: parent });
    expect((await refusalOf(narrow(admin, middle))).code).toBe('token.revoked');
    const early = await withParent({ not_before: END - 10 });
    expect((await refusalOf(narrow(early.admin, early.parent, { not_before: END - 10 }))).code).toBe(
      'token.not_yet_valid',
    );
    const { tenant, ...late } = await withParent();
    await tenant.query(
      `UPDATE kernel.token SET grant_json = jsonb_set(grant_json, '{expires_at}', '2000') WHERE capability_token_id = $1`,
      [late.parent],
    );
    expect((await refusalOf(narrow(late.admin, late.parent))).code).toBe('token.expired');
  });

  it('is not made under a parent whose revocation comes first, even where the request came before', async () => {
    const { tenant, admin, parent } = await withParent();
    await kernel.admin.query('BEGIN');
    await kernel.admin.query('SELECT kernel.change_rules($1)', [tenant.tenantId]);
    await kernel.admin.query('UPDATE kernel.token SET revoked_at = 1 WHERE capability_token_id = $1', [parent]);
    const refused = refusalOf(narrow(admin, parent));
    await kernel.untilBlocked();
    await kernel.admin.query('COMMIT');
    expect((await refused).code).toBe('token.revoked');
    expect(await tenant.countOf('outbox')).toBe(1);
  });

  it("may narrow any workspace to one, and never changes to another one or another tenant's", async () => {
    const { tenant, admin, parent } = await withParent();
    const other = await kernel.newTenant();
    const second = await tenant.secondWorkspace();
    const { capability_token_id: wide } = await manage.issue.run({
      ...requestBy(admin),
      agent_id: tenant.agentId,
      workspace_id: null,
      grant: grantOf(),
    });
    const bound = (parent_id: string, workspace_id: string | null) =>
      manage.attenuate.run({ ...requestBy(admin), parent_id, agent_id: null, workspace_id, grant: grantOf() });
    expect(await bound(wide, second)).toMatchObject({ workspace_id: second, parent_id: wide });
    expect(await bound(wide, null)).toMatchObject({ workspace_id: null });
    for (const elsewhere of [second, null])
      expect(await refusalOf(bound(parent, elsewhere))).toMatchObject({
        code: 'token.not_narrower',
        detail: expect.stringContaining('`workspace_id`'),
      });
    for (const nowhere of [other.workspaceId, newId('workspace'), 'x'])
      expect((await refusalOf(bound(wide, nowhere))).code).toBe('not_found');
  });

  it('is at most the eighth of its chain', async () => {
    const { admin, parent } = await withParent();
    let last = parent;
    for (let at = 1; at < LIMITS.chainTokens.max; at += 1) last = (await narrow(admin, last)).capability_token_id;
    expect((await refusalOf(narrow(admin, last))).code).toBe('token.depth');
  });
});

describe('the role that narrows a token', () => {
  it('is an administrator, for any agent of the tenant', async () => {
    const { tenant, admin, parent } = await withParent();
    const { agent_id } = await manage.agents.create({ ...requestBy(admin), name: 'second' });
    expect(await narrow(admin, parent, {}, agent_id)).toMatchObject({ agent_id, parent_id: parent });
    const other = await kernel.newTenant();
    const answers = await Promise.all(
      [other.agentId, newId('agent')].map((of) => refusalOf(narrow(admin, parent, {}, of))),
    );
    expect(answers).toEqual(Array(2).fill({ code: 'not_found', message: 'there is no such thing here' }));
    expect(await tenant.countOf('outbox')).toBe(3);
  });

  it('is an agent, with the tokens that it holds, for itself or for another agent of its tenant', async () => {
    const { tenant, admin, key, parent } = await withParent();
    const { agent_id } = await manage.agents.create({ ...requestBy(admin), name: 'second' });
    expect(await narrow(key, parent)).toMatchObject({ agent_id: tenant.agentId });
    expect(await narrow(key, parent, {}, agent_id)).toMatchObject({
      agent_id,
      parent_id: parent,
      issuer: key.api_key_id,
    });
    const other = await kernel.newTenant();
    const nobody = await Promise.all(
      [other.agentId, newId('agent')].map((of) => refusalOf(narrow(key, parent, {}, of))),
    );
    expect(nobody).toEqual(Array(2).fill({ code: 'not_found', message: 'there is no such thing here' }));
    const theirs = (await narrow(admin, parent, {}, agent_id)).capability_token_id;
    const foreign = await withParent();
    const answers = await Promise.all(
      [theirs, foreign.parent, newId('token'), '?'].map((of) => refusalOf(narrow(key, of))),
    );
    expect(answers).toEqual(Array(4).fill({ code: 'not_found', message: 'there is no such thing here' }));
  });

  it.each(['operator', 'auditor'] as const)('is never the role %s', async (role) => {
    const { tenant, parent } = await withParent();
    expect((await refusalOf(narrow(callerOf(tenant.tenantId, role), parent))).code).toBe('auth.role');
  });
});
