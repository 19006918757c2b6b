// SPDX-License-Identifier: Apache-2.0
import { TOOLS } from '@writ/contract';
import { createFixture, type Fixture } from '../../specs/tenant-fixture.ts';
import { openTestApi, problem, type TestApi, type TestTenant } from '../../specs/test-api.ts';

let api: TestApi;
let tenant: TestTenant;
let has: Fixture;
beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
  has = await createFixture(api, tenant);
  // Another tenant's tools exist too.
  await createFixture(api, await api.newTenant());
});
afterAll(() => api.close());
beforeEach(() => {
  api.kernel.requests.length = 0;
});

const itemsOf = async (): Promise<Record<string, unknown>[]> =>
  (await api.ask('GET', '/v1/tools', { key: tenant.agent })).json['items'] as Record<string, unknown>[];

test("the tools are Writ's own and those of the tenant, in one form", async () => {
  const items = await itemsOf();
  expect(items.map(({ tool_id }) => tool_id)).toEqual([...TOOLS.keys(), has.tool_id]);
  expect(items.at(-1)).toMatchObject({
    class: 'sandboxed',
    category: 'read',
    mutating: false,
    parameters: { properties: { path: { type: 'string' } } },
    cli: { cmd: 'ls', args: ['{{path}}'] },
  });
});

test("only the names of a tool's variables are shown", async () => {
  const { text } = await api.ask('GET', `/v1/tools/${has.tool_id}`, { key: tenant.admin });
  expect(JSON.parse(text)).toMatchObject({ tool_id: has.tool_id, cli: { env: [{ name: 'LEVEL', secrets: [] }] } });
  expect(text).not.toContain('hidden');
});

test("a missing tool is not found, and one of Writ's own can be shown but not removed", async () => {
  expect((await api.ask('GET', '/v1/tools/fs.read', { key: tenant.agent })).json).toMatchObject({ tool_id: 'fs.read' });
  for (const name of ['nothing', 'No%20name', 'x'.repeat(65)])
    expect((await api.ask('GET', `/v1/tools/${name}`, { key: tenant.admin })).json).toEqual(problem('not_found', 404));
  expect((await api.ask('DELETE', '/v1/tools/fs.read', { key: tenant.admin })).json).toEqual(problem('not_found', 404));
});

test('applied tools reach the kernel unchanged and in order, with `dry_run` beside them', async () => {
  const file = { tools: [{ name: 'z', optional_args: { b: ['-b'], a: ['-a'] } }] };
  await api.ask('PUT', '/v1/tools', { key: tenant.admin, body: { ...file, dry_run: true } });
  const [{ request } = { request: {} as Record<string, unknown> }] = api.kernel.requests.filter(
    ({ verb }) => verb === 'tool.apply',
  );
  expect(request).toMatchObject({ file, dry_run: true });
  expect(JSON.stringify(request['file'])).toBe(JSON.stringify(file));
  expect((await api.ask('PUT', '/v1/tools', { key: tenant.admin, body: { ...file, dry_run: 'yes' } })).status).toBe(
    400,
  );
});

test.each(['operator', 'auditor', 'agent'] as const)('the role %s may not register or remove tools', async (role) => {
  expect((await api.ask('PUT', '/v1/tools', { key: tenant[role], body: { tools: [] } })).status).toBe(403);
  expect((await api.ask('DELETE', `/v1/tools/${has.tool_id}`, { key: tenant[role] })).status).toBe(403);
});
