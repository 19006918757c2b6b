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
  // Somebody else's are there as well.
  await createFixture(api, await api.newTenant());
});
afterAll(() => api.close());
beforeEach(() => {
  api.kernel.asked.length = 0;
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

test("of a tool's variables nobody is shown more than the names", async () => {
  const { text } = await api.ask('GET', `/v1/tools/${has.tool_id}`, { key: tenant.admin });
  expect(JSON.parse(text)).toMatchObject({ tool_id: has.tool_id, cli: { env: [{ name: 'LEVEL', secrets: [] }] } });
  expect(text).not.toContain('hidden');
});

test("a tool that isn't there is not found, and one of Writ's own can be shown and not removed", async () => {
  expect((await api.ask('GET', '/v1/tools/fs.read', { key: tenant.agent })).json).toMatchObject({ tool_id: 'fs.read' });
  for (const name of ['nothing', 'No%20name', 'x'.repeat(65)])
    expect((await api.ask('GET', `/v1/tools/${name}`, { key: tenant.admin })).json).toEqual(problem('not_found', 404));
  expect((await api.ask('DELETE', '/v1/tools/fs.read', { key: tenant.admin })).json).toEqual(problem('not_found', 404));
});

test('what is applied reaches the kernel as it was sent, in its order, and `dry_run` beside it', async () => {
  const file = { tools: [{ name: 'z', optional_args: { b: ['-b'], a: ['-a'] } }] };
  await api.ask('PUT', '/v1/tools', { key: tenant.admin, body: { ...file, dry_run: true } });
  const [{ request } = { request: {} as Record<string, unknown> }] = api.kernel.asked.filter(
    ({ verb }) => verb === 'tool.apply',
  );
  expect(request).toMatchObject({ file, dry_run: true });
  expect(JSON.stringify(request['file'])).toBe(JSON.stringify(file));
  expect((await api.ask('PUT', '/v1/tools', { key: tenant.admin, body: { ...file, dry_run: 'yes' } })).status).toBe(
    400,
  );
});

test.each(['operator', 'auditor', 'agent'] as const)('the role %s registers and removes nothing', async (role) => {
  expect((await api.ask('PUT', '/v1/tools', { key: tenant[role], body: { tools: [] } })).status).toBe(403);
  expect((await api.ask('DELETE', `/v1/tools/${has.tool_id}`, { key: tenant[role] })).status).toBe(403);
});
