// SPDX-License-Identifier: Apache-2.0
import { CapabilityToken, LIMITS, parseMessage, type Grant } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { requestBy, callerOf, pagesOf, refusalOf, type TestManagement } from '../../specs/test-management.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { newId } from '@writ/nest-kit';

let kernel: TestKernel;
let manage: TestManagement;
openKernelSpec((on) => {
  ({ kernel, manage } = on);
});

const HOUR_MS = 3_600_000;
const grantOf = (more: Partial<Grant> = {}): Grant => ({
  tools: ['fs.*'],
  fs: [{ path: 'src', read: true, write: true }],
  net: [],
  secrets: [],
  budgets: { calls: 10, wall_ms: 5000 },
  not_before: 0,
  expires_at: Date.now() + HOUR_MS,
  ...more,
});
const issue = (tenant: TestTenant, grant: Partial<Grant> = {}, workspace_id: string | null = null) =>
  manage.issue.run({
    ...requestBy(callerOf(tenant.tenantId)),
    agent_id: tenant.agentId,
    workspace_id,
    grant: grantOf(grant),
  });

describe('an issued token', () => {
  it('has an account for each bounded dimension, paths in canonical form, and a record', async () => {
    const tenant = await kernel.newTenant();
    const { used, reserved, left, chain, revoked, ...token } = await issue(
      tenant,
      { fs: [{ path: '/workspace/./src//', read: true, write: false }] },
      tenant.workspaceId,
    );
    expect(parseMessage(CapabilityToken, token)).toMatchObject({
      parent_id: null,
      workspace_id: tenant.workspaceId,
      grant: { fs: [{ path: 'src', read: true, write: false }] },
      revoked_at: null,
    });
    const use = { used, reserved, left, chain, revoked };
    const nothing = { calls: 0, wall_ms: 0 };
    expect(use).toEqual({
      used: nothing,
      reserved: nothing,
      left: { calls: 10, wall_ms: 5000 },
      chain: [token.capability_token_id],
      revoked: false,
    });
    expect(await tenant.budgetOf(token.capability_token_id)).toEqual({
      calls: { reserved: 0, used: 0, bound: 10 },
      wall_ms: { reserved: 0, used: 0, bound: 5000 },
    });
    expect(await tenant.records()).toMatchObject([
      {
        kind: 'token',
        actor: token.issuer,
        agent_id: tenant.agentId,
        capability_token_id: token.capability_token_id,
        change: {
          verb: 'token_issued',
          subject: token.capability_token_id,
          digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      },
    ]);
    expect(
      await manage.tokens.read({
        ...requestBy(callerOf(tenant.tenantId)),
        capability_token_id: token.capability_token_id,
      }),
    ).toEqual({ ...token, ...use });
  });

  it.each([
    ['src/**', 'src'],
    ['**', ''],
    ['/workspace/src/**', 'src'],
  ])('has `%s` as another form of the root `%s`', async (path, root) => {
    const tenant = await kernel.newTenant();
    expect((await issue(tenant, { fs: [{ path, read: true, write: false }] })).grant.fs).toEqual([
      { path: root, read: true, write: false },
    ]);
  });

  it('admits calls at once', async () => {
    const tenant = await kernel.newTenant();
    await tenant.write({ 'src/a.txt': 'a' });
    const { capability_token_id } = await issue(tenant);
    expect(
      await kernel.admit.run(tenant.call(capability_token_id, { args: { path: 'src/a.txt' } }), null),
    ).toMatchObject({ state: 'admitted' });
    expect(await kernel.admit.run(tenant.call(capability_token_id, { args: { path: 'a.txt' } }), null)).toMatchObject({
      state: 'refused',
      result: { error: { code: 'token.scope' } },
    });
  });

  it.each([
    ['no path upwards', { fs: [{ path: 'src/../..', read: true, write: false }] }, 'path.escape', undefined],
    ['no path outside', { fs: [{ path: '/etc', read: true, write: false }] }, 'path.escape', undefined],
    ['no NUL', { fs: [{ path: 'a\0', read: true, write: false }] }, 'path.invalid', undefined],
    [
      'no star in a path',
      { fs: [{ path: 'src/*.ts', read: true, write: false }] },
      'request.malformed',
      '/grant/fs/0/path',
    ],
    ['an end in the future', { expires_at: 1 }, 'request.malformed', '/grant/expires_at'],
    [
      'an end within 366 days',
      { expires_at: Date.now() + LIMITS.tokenLifeMs.max + HOUR_MS },
      'request.malformed',
      '/grant/expires_at',
    ],
    ['a beginning before its end', { not_before: Date.now() + 2 * HOUR_MS }, 'request.malformed', '/grant/not_before'],
    [
      'a grant that fits a message',
      {
        fs: Array.from({ length: 20 }, (_, at) => ({
          path: `${at}/${'x'.repeat(200)}/`.repeat(9),
          read: true,
          write: true,
        })),
      },
      'request.too_large',
      '/grant',
    ],
  ])('needs %s', async (_what, grant, code, pointer) => {
    const tenant = await kernel.newTenant();
    expect(await refusalOf(issue(tenant, grant))).toMatchObject({ code, pointer });
    expect(await tenant.countOf('outbox')).toBe(0);
  });

  it.each(['operator', 'agent', 'auditor'] as const)('is never made by the role %s', async (role) => {
    const tenant = await kernel.newTenant();
    const asking = manage.issue.run({
      ...requestBy(callerOf(tenant.tenantId, role, tenant.agentId)),
      agent_id: tenant.agentId,
      workspace_id: null,
      grant: grantOf(),
    });
    await expect(asking).rejects.toMatchObject({ code: 'auth.role' });
  });

  it('is never for an agent or workspace of another tenant, which get not_found', async () => {
    const [mine, theirs] = [await kernel.newTenant(), await kernel.newTenant()];
    const asked = requestBy(callerOf(mine.tenantId));
    const answers = await Promise.all(
      [
        { agent_id: theirs.agentId, workspace_id: null },
        { agent_id: newId('agent'), workspace_id: null },
        { agent_id: mine.agentId, workspace_id: theirs.workspaceId },
        { agent_id: mine.agentId, workspace_id: newId('workspace') },
      ].map((of) => refusalOf(manage.issue.run({ ...asked, ...of, grant: grantOf() }))),
    );
    expect(answers).toEqual(Array(4).fill({ code: 'not_found', message: 'there is no such thing here' }));
    expect(await mine.countOf('outbox')).toBe(0);
  });
});

describe('shown tokens', () => {
  it('have their usage, their reservations, and the remainder along the chain', async () => {
    const tenant = await kernel.newTenant();
    const asked = requestBy(callerOf(tenant.tenantId));
    const { capability_token_id: root } = await issue(tenant);
    const grant = grantOf({ budgets: { calls: 10, wall_ms: 900, cpu_ms: 70 }, expires_at: Date.now() + HOUR_MS / 2 });
    const { capability_token_id: child } = await manage.attenuate.run({
      ...asked,
      parent_id: root,
      agent_id: null,
      grant,
    });
    const spend = (token: string, dimension: string, used: number, reserved: number) =>
      tenant.query(
        'UPDATE kernel.budget SET used = $3, reserved = $4 WHERE capability_token_id = $1 AND dimension = $2',
        [token, dimension, used, reserved],
      );
    await spend(root, 'calls', 3, 2);
    await spend(child, 'calls', 1, 1);
    await spend(child, 'wall_ms', 200, 300);
    expect(
      await manage.tokens.read({ ...requestBy(callerOf(tenant.tenantId, 'auditor')), capability_token_id: child }),
    ).toMatchObject({
      chain: [root, child],
      used: { calls: 1, wall_ms: 200, cpu_ms: 0 },
      reserved: { calls: 1, wall_ms: 300, cpu_ms: 0 },
      left: { calls: 5, wall_ms: 400, cpu_ms: 70 },
    });
    expect((await manage.tokens.read({ ...asked, capability_token_id: root })).left).toEqual({
      calls: 5,
      wall_ms: 5000,
    });
  });

  it("are only its own for an agent's key; unknown ones and those of another tenant get the same answer", async () => {
    const [tenant, other] = [await kernel.newTenant(), await kernel.newTenant()];
    const own = await issue(tenant);
    const agent = await manage.agents.create({ ...requestBy(callerOf(tenant.tenantId)), name: 'second' });
    const foreign = await issue(other);
    const key = requestBy(callerOf(tenant.tenantId, 'agent', agent.agent_id));
    const answers = await Promise.all(
      [own.capability_token_id, foreign.capability_token_id, newId('token'), 'nothing'].map((capability_token_id) =>
        refusalOf(manage.tokens.read({ ...key, capability_token_id })),
      ),
    );
    expect(answers).toEqual(Array(4).fill({ code: 'not_found', message: 'there is no such thing here' }));
    expect(await manage.tokens.list({ ...key, page: { cursor: null, limit: 10 }, agent_id: null })).toEqual({
      items: [],
      next_cursor: null,
    });
    expect(
      (await manage.tokens.list({ ...key, page: { cursor: null, limit: 10 }, agent_id: tenant.agentId })).items,
    ).toEqual([]);
  });

  it('are listed to the end, page by page, each within the size of a message', async () => {
    const tenant = await kernel.newTenant();
    const asked = requestBy(callerOf(tenant.tenantId));
    const roots = Array.from({ length: 150 }, (_, at) => ({
      path: `${'d'.repeat(100)}${at}`,
      read: true,
      write: true,
    }));
    const ids: string[] = [];
    for (let at = 0; at < 40; at += 1) ids.push((await issue(tenant, { fs: roots })).capability_token_id);
    const pages = await pagesOf(200, (page) => manage.tokens.list({ ...asked, page, agent_id: tenant.agentId }));
    expect(pages.length).toBeGreaterThan(1);
    for (const items of pages) expect(Buffer.byteLength(JSON.stringify(items))).toBeLessThan(600 * 1024);
    expect(pages.flat().map((token) => token.capability_token_id)).toEqual(ids.toReversed());
  }, 120_000);
});
