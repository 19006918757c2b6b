// SPDX-License-Identifier: Apache-2.0
// MCP servers of a tenant: how they are registered, and how executors list their tools.
import { RESOURCE_SECRET_PREFIX } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { listingContext } from '@writ/sealing';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { box, LOOK, mcpScene, PUSH, SETTINGS } from '../../specs/mcp-scene.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { callerOf, refusalOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let manage: TestManagement;
let tenant: TestTenant;
openKernelSpec((on) => {
  ({ kernel, manage } = on);
});
beforeEach(async () => {
  // Claims cross tenants: what other tests left would be claimed here.
  await kernel.admin.query('UPDATE kernel.mcp_server SET due_at = 9e15');
  tenant = await kernel.newTenant();
});
const {
  admin,
  register,
  claim,
  claimed,
  ended,
  reportTools,
  list,
  read,
  toolsOf,
  statesOf,
  chosen,
  accept,
  inForce,
  changes,
} = mcpScene(() => ({ kernel, manage, tenant }));

describe('an MCP server', () => {
  it('is registered as a resource, listed by an executor, and shown with what its listing said', async () => {
    const { resource_id } = await register();
    expect(await read()).toMatchObject({ name: 'github', url: SETTINGS.url, checked_at: null, about: null });
    const due = await claimed();
    expect(due).toMatchObject({ tenant_id: tenant.tenantId, claim: 1, resource: { resource_id, settings: SETTINGS } });
    expect(await claim()).toBeNull();
    expect(await reportTools(due, [PUSH, LOOK])).toBe(true);
    expect(await read()).toMatchObject({
      about: { name: 'GitHub' },
      problem: null,
      checked_at: expect.any(Number),
      tools: { new: 2, accepted: 0, changed: 0, gone: 0, refused: 0 },
    });
    expect(await toolsOf()).toMatchObject([
      { remote_name: 'look', tool_id: 'mcp.github.look', state: 'new', suggested: 'write', seen: { definition: LOOK } },
      { remote_name: 'push-it', tool_id: 'mcp.github.push-it', state: 'new', suggested: 'admin' },
    ]);
    expect(await inForce()).toEqual([]);
  });

  it.each([
    ['a name that no id has', SETTINGS, 'GitHub', '/name'],
    [
      'a credential over http',
      { ...SETTINGS, url: 'http://x.example/', credential: { secret: 'KEY' } },
      'x',
      '/settings/url',
    ],
    [
      'a credential in a header of the protocol',
      { ...SETTINGS, credential: { secret: 'KEY', header: 'Mcp-Session-Id' } },
      'x',
      '/settings/credential/header',
    ],
    [
      'a credential in a header of HTTP',
      { ...SETTINGS, credential: { secret: 'KEY', header: 'Host' } },
      'x',
      '/settings/credential/header',
    ],
    ['another transport', { ...SETTINGS, transport: 'pigeon' }, 'x', '/settings/transport'],
    [
      'persons over http',
      { ...SETTINGS, url: 'http://x.example/', credential: { oauth: { client_id: 'w', scopes: [] } } },
      'x',
      '/settings/url',
    ],
    [
      'a secret of the client for whatever authorization server',
      { ...SETTINGS, credential: { oauth: { client_id: 'w', client_secret: 'KEY', scopes: [] } } },
      'x',
      '/settings/credential/oauth/authorization_server',
    ],
    [
      'an authorization server over http',
      { ...SETTINGS, credential: { oauth: { client_id: 'w', scopes: [], authorization_server: 'http://x.example' } } },
      'x',
      '/settings/credential/oauth/authorization_server',
    ],
    [
      'a scope that is two',
      { ...SETTINGS, credential: { oauth: { client_id: 'w', scopes: ['a b'] } } },
      'x',
      '/settings/credential/oauth/scopes/0',
    ],
  ])('with %s is refused', async (_what, settings, name, pointer) => {
    expect(await refusalOf(register(settings, name))).toMatchObject({ code: 'request.malformed', pointer });
  });

  it('is one of 64 that a tenant has', async () => {
    for (let n = 0; n < 64; n += 1) await register(SETTINGS, `s${String(n)}`);
    expect(await refusalOf(register())).toMatchObject({
      code: 'limit.exceeded',
      message: expect.stringContaining('at most 64 MCP servers'),
    });
    await register(SETTINGS, 'other', admin(await kernel.newTenant()));
  });

  it('is decided on by administrators alone, seen by readers, and by nobody of another tenant', async () => {
    await register();
    await list(LOOK);
    const [operator, agent] = [callerOf(tenant.tenantId, 'operator'), callerOf(tenant.tenantId, 'agent')];
    expect(await toolsOf(operator)).toHaveLength(1);
    expect(await refusalOf(read(agent))).toMatchObject({ code: 'auth.role' });
    const request = { name: 'github', tools: [chosen(LOOK)] };
    for (const decide of ['accept', 'refuse'] as const)
      expect(await refusalOf(manage.decideMcpTools[decide]({ ...requestBy(operator), ...request }))).toMatchObject({
        code: 'auth.role',
      });
    expect(await refusalOf(manage.mcpServers.refresh({ ...requestBy(operator), name: 'github' }))).toMatchObject({
      code: 'auth.role',
    });
    const foreign = admin(await kernel.newTenant());
    expect(await refusalOf(read(foreign))).toMatchObject({ code: 'not_found' });
    expect(await refusalOf(manage.decideMcpTools.accept({ ...requestBy(foreign), ...request }))).toMatchObject({
      code: 'not_found',
    });
  });

  it('takes its tools along when it is removed, and its name comes back with nothing accepted', async () => {
    const { resource_id } = await register();
    await list(LOOK);
    await accept(chosen(LOOK));
    expect(await inForce()).toEqual(['mcp.github.look']);
    await manage.resources.remove({ ...requestBy(admin()), resource_id });
    expect(await inForce()).toEqual([]);
    expect((await changes()).slice(-2)).toEqual([
      ['resource_removed', 'mcp_server:github'],
      ['tool_removed', 'mcp.github.look'],
    ]);
    await register();
    await list(LOOK);
    expect(await statesOf()).toEqual([['look', 'new']]);
    expect(await inForce()).toEqual([]);
    await accept(chosen(LOOK));
    expect(await inForce()).toEqual(['mcp.github.look']);
  });
});

describe('a claim', () => {
  it('has the secret of the server, sealed to the executor that claims, for this claim alone', async () => {
    await kernel.valueParts.store.put(tenant.tenantId, {
      name: 'KEY',
      value: Buffer.from('marker-of-a-secret'),
      note: null,
      created_by: 'key_x',
    });
    const { resource_id } = await register({ ...SETTINGS, credential: { secret: 'KEY' } });
    const due = await claimed();
    expect(JSON.stringify(due)).not.toContain('marker');
    const name = `${RESOURCE_SECRET_PREFIX}KEY`;
    const open = async (n: number) =>
      await box.open(
        Buffer.from(due.sealed[name] ?? '', 'base64'),
        listingContext(tenant.tenantId, resource_id, n, name),
      );
    expect((await open(due.claim)).toString()).toBe('marker-of-a-secret');
    await expect(open(due.claim + 1)).rejects.toThrow();
  });

  it('of a server whose secret is missing is not given, and says so; the next server is', async () => {
    await register({ ...SETTINGS, credential: { secret: 'NOTHING' } });
    await register(SETTINGS, 'next');
    expect((await claim())?.resource.name).toBe('next');
    expect(await read()).toMatchObject({ problem: { code: 'secret.unknown' } });
    expect(await claim()).toBeNull();
  });

  it('goes to another tenant after one server of a tenant that can not be listed, and ends a bounded number', async () => {
    for (let n = 0; n < 20; n += 1)
      await register({ ...SETTINGS, credential: { secret: 'NOTHING' } }, `bad${String(n)}`);
    const other = await kernel.newTenant();
    await register(SETTINGS, 'good', admin(other));
    const tried = async () =>
      (
        await kernel.admin.query<{ n: number }>(
          'SELECT count(*)::integer AS n FROM kernel.mcp_server WHERE tenant_id = $1 AND failures > 0',
          [tenant.tenantId],
        )
      ).rows[0]?.n;
    expect((await claim())?.resource.name).toBe('good');
    expect(await tried()).toBe(1);
    expect([await claim(), await tried()]).toEqual([null, 17]);
  });

  it('that another executor has by now, or that is older than the settings, writes nothing', async () => {
    const { resource_id } = await register();
    const lost = await claimed();
    await kernel.admin.query('UPDATE kernel.mcp_server SET claim_until = 0 WHERE resource_id = $1', [resource_id]);
    const now = await claimed(newId('executor'));
    expect(now.claim).toBe(2);
    expect(await reportTools(lost, [LOOK])).toBe(false);
    const settings = { ...SETTINGS, url: 'https://other.example/mcp' };
    await manage.resources.update({ ...requestBy(admin()), resource_id, settings, expected_version: 1 });
    expect(await reportTools(now, [LOOK])).toBe(false);
    expect(await toolsOf()).toEqual([]);
    expect(await reportTools(await claimed(), [LOOK])).toBe(true);
  });

  it('is of two servers of a tenant at a time, and tenants take turns', async () => {
    for (const name of ['a', 'b', 'c']) await register(SETTINGS, name);
    const other = await kernel.newTenant();
    await register(SETTINGS, 'd', admin(other));
    const had = [await claim(), await claim(), await claim(), await claim()];
    expect(had.map((one) => one?.resource.name)).toEqual(['a', 'd', 'b', undefined]);
  });

  it("goes by turns of the tenants where a tenant's servers have been due for longer", async () => {
    for (const name of ['a', 'b', 'c']) await register(SETTINGS, name);
    const other = await kernel.newTenant();
    await register(SETTINGS, 'd', admin(other));
    const first = await claimed();
    expect(await reportTools(first, [LOOK])).toBe(true);
    const rest = [await claimed(), await claimed(), await claimed()];
    expect([first, ...rest].map(({ resource }) => resource.name)).toEqual(['a', 'd', 'b', 'c']);
  });

  it('finds the tenants that have as many as they may by an index', async () => {
    await kernel.admin.query('BEGIN; SET LOCAL enable_seqscan = off');
    try {
      const { rows } = await kernel.admin.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN SELECT o.tenant_id FROM kernel.mcp_server o WHERE o.claim_until >= 1
         GROUP BY o.tenant_id HAVING count(*) >= 2`,
      );
      expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('mcp_server_claimed');
    } finally {
      await kernel.admin.query('ROLLBACK');
    }
  });

  it('that ends with a problem changes no tool, and the server is tried again later and later', async () => {
    await register();
    await list(LOOK);
    await accept(chosen(LOOK));
    const pauses: number[] = [];
    for (let n = 0; n < 3; n++) {
      await manage.mcpServers.refresh({ ...requestBy(admin()), name: 'github' });
      const problem = { code: 'mcp.unreachable' as const, message: 'HTTP 503\0' };
      const failed = { ...ended(await claimed()), about: null, listing: null, problem };
      expect(await manage.mcpListings.report(failed)).toBe(true);
      const { due_at, checked_at } = await read();
      pauses.push(due_at - (checked_at ?? 0));
    }
    expect(pauses).toEqual([30_000, 60_000, 120_000]);
    expect(await read()).toMatchObject({ problem: { code: 'mcp.unreachable', message: 'HTTP 503' } });
    expect(await inForce()).toEqual(['mcp.github.look']);
  });
});

describe('a listing', () => {
  it('of two tools of one name, or of one without a digest, skips these and says so', async () => {
    await register();
    await list(LOOK, LOOK, { name: 'odd', inputSchema: { type: 'object', maximum: 1e300 } });
    expect(await statesOf()).toEqual([]);
    expect((await read()).skipped.map(({ name }) => name)).toEqual(['look', 'odd']);
  });

  it('takes a tool out of force that is listed twice, however both are described', async () => {
    await register();
    await list(LOOK);
    await accept(chosen(LOOK));
    await list(LOOK, { ...LOOK, description: 'another one' }, LOOK);
    expect([await statesOf(), await inForce()]).toEqual([[['look', 'gone']], []]);
    expect((await read()).skipped).toEqual([{ name: 'look', problem: 'the server lists it twice' }]);
  });

  it('forgets tools that nobody accepted once they are gone: a server can not fill the table', async () => {
    await register();
    for (let n = 0; n < 3; n++) await list({ ...LOOK, name: `look${String(n)}` });
    expect(await statesOf()).toEqual([['look2', 'new']]);
  });

  it.each([
    ['neither a listing nor a problem', { listing: null, problem: null }],
    ['both', { listing: { sha256: '0'.repeat(64), size: 1 }, problem: { code: 'mcp.protocol', message: '' } }],
    ['a listing that is too long', { listing: { sha256: '0'.repeat(64), size: 3_000_000 }, problem: null }],
  ])('with %s is refused', async (_what, end) => {
    await register();
    const report = { ...ended(await claimed()), ...end } as Parameters<typeof manage.mcpListings.report>[0];
    expect(await refusalOf(manage.mcpListings.report(report))).toMatchObject({ code: 'request.malformed' });
  });
});
