// SPDX-License-Identifier: Apache-2.0
import type { ProposedCall } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { askedBy, callerOf, type TestManagement } from '../../specs/test-management.ts';
import type { TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let run: TestExecution;
let manage: TestManagement;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel, run, manage } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token({ tools: ['*'], net: [{ domain: '*.example.org', methods: ['GET'] }] });
  kernel.policy.says = () => AUTOPILOT;
});

const admin = (of = tenant) => callerOf(of.tenantId);
const set = (url: string, of = tenant) =>
  manage.searchProviders.set({ ...askedBy(admin(of)), provider: { kind: 'searxng', url } });
const search = (query = 'x'): ProposedCall => tenant.call(token, { tool_id: 'web.search', args: { query } });
const said = async (call: ProposedCall): Promise<string> => {
  const { state, result } = await kernel.admit.run(call, null);
  return result?.error?.code ?? state;
};

it('is set, shown, changed and taken back, with a record of each in the same transaction', async () => {
  await expect(manage.searchProviders.read(askedBy(admin()))).rejects.toMatchObject({ code: 'not_found' });
  const first = await set('https://searx.example.org/some/');
  expect(first).toMatchObject({ provider: { kind: 'searxng', url: 'https://searx.example.org/some' } });
  expect(await set('https://searx.example.org/some')).toMatchObject({ definition_digest: first.definition_digest });
  const second = await set('http://other.example.org');
  expect(await manage.searchProviders.read(askedBy(callerOf(tenant.tenantId, 'auditor')))).toEqual(second);
  expect(await manage.searchProviders.remove(askedBy(admin()))).toMatchObject({
    provider: { url: 'http://other.example.org' },
  });
  await expect(manage.searchProviders.remove(askedBy(admin()))).rejects.toMatchObject({ code: 'not_found' });
  expect((await tenant.records()).map(({ change }) => change)).toEqual([
    { verb: 'search_provider_set', subject: 'web.search', digest: first.definition_digest },
    { verb: 'search_provider_set', subject: 'web.search', digest: second.definition_digest },
    { verb: 'search_provider_removed', subject: 'web.search', digest: second.definition_digest },
  ]);
});

it.each([
  'ftp://a.example.org',
  'https://user@a.example.org',
  'https://a.example.org:8080',
  'https://a.example.org/?q=',
  'https://A..example.org',
  'https://127.1',
  'https://a.example.org/#x',
  'searx',
  'https://a.example.org/ x',
])('takes no %s', async (url) => {
  await expect(set(url)).rejects.toMatchObject({ code: 'request.malformed' });
  expect(await tenant.records()).toEqual([]);
});

it.each(['operator', 'agent', 'auditor'] as const)('is not set by the role %s', async (role) => {
  const caller = callerOf(tenant.tenantId, role, tenant.agentId);
  await expect(
    manage.searchProviders.set({ ...askedBy(caller), provider: { kind: 'searxng', url: 'https://a.example.org' } }),
  ).rejects.toMatchObject({ code: 'auth.role' });
  await expect(manage.searchProviders.remove(askedBy(caller))).rejects.toMatchObject({ code: 'auth.role' });
});

it("a search without one is refused on the record, and says who can help; another tenant's is no help", async () => {
  const other = await kernel.newTenant();
  await set('https://searx.example.org', other);
  const { result } = await kernel.admit.run(search(), null);
  expect(result?.error).toMatchObject({
    code: 'tool.not_available',
    hint: expect.stringContaining('search-provider set') as unknown,
  });
});

it('a search is decided on its provider, and runs at that one or not at all', async () => {
  const { definition_digest } = await set('https://searx.example.org');
  const first = search();
  expect(await said(first)).toBe('admitted');
  const { redemption } = await run.performAdmitted(tenant, first.operation_id, 'broker');
  expect(redemption).toMatchObject({
    tool_id: 'web.search',
    tool_definition_digest: definition_digest,
    search_tool: { provider: { url: 'https://searx.example.org' } },
  });
  const second = search();
  expect(await said(second)).toBe('admitted');
  await set('https://evil.example.org');
  await expect(run.performAdmitted(tenant, second.operation_id, 'broker')).rejects.toMatchObject({
    code: 'tool.changed',
  });
  await manage.searchProviders.remove(askedBy(admin()));
  expect(await said(search())).toBe('tool.not_available');
});

it("the token must let the provider's host be asked", async () => {
  await set('https://searx.elsewhere.example');
  expect(await said(search())).toBe('token.scope');
});

it('tools that are listed name it, and one that programs apply leaves it alone', async () => {
  await set('https://searx.example.org');
  const page = { cursor: null, limit: 50 };
  expect((await manage.listTools.run({ ...askedBy(admin()), page, tool_id: null })).items).toMatchObject([
    { tool: { tool_id: 'web.search', provider: { url: 'https://searx.example.org' } } },
  ]);
  expect(
    await manage.applyTools.run({
      ...askedBy(admin()),
      file: { tools: [{ name: 'web.search', description: 'x', category: 'read', cmd: 'ls' }] },
      dry_run: false,
    }),
  ).toMatchObject({ valid: false });
});
