// SPDX-License-Identifier: Apache-2.0
// Links to consents, and what is shown of connections, with a kernel that answers by the contract.
import { newId } from '@writ/nest-kit';
import { openTestApi, PLATFORM_KEY, problem, type TestApi, type TestTenant } from '../../specs/test-api.ts';
import { createFixture, type Fixture } from '../../specs/tenant-fixture.ts';

const URL = 'https://writ.example.org';
let api: TestApi;
let tenant: TestTenant;
let has: Fixture;
beforeAll(async () => {
  api = await openTestApi({ WRIT_PUBLIC_URL: URL });
});
afterAll(() => api.close());
beforeEach(async () => {
  tenant = await api.newTenant();
  has = await createFixture(api, tenant);
});

const connections = (): string => `/v1/mcp-servers/${has.mcp_server}/connections`;
const ask = (path = connections(), key = tenant.admin) => api.ask('POST', path, { key, body: {} });
const asked = () => api.kernel.requests.filter(({ verb }) => verb === 'mcp_connection.ask');
const change = (name: string, sign_in: object | null) =>
  api.ask('POST', `/v1/tenants/${tenant.tenantId}/identity-providers`, {
    key: PLATFORM_KEY,
    body: { name, issuer: issuerOf(name), sign_in },
  });
const issuerOf = (name: string): string => `https://${has.provider}.example.org${name === 'people' ? '/people' : ''}`;

it('a link leads to the page of the consent, and names where to sign in where that is open', async () => {
  const count = asked().length;
  const answer = await ask(`/v1/mcp-servers/${has.mcp_server}/listing-connection`);
  expect(answer.json).toEqual({
    connection_id: expect.stringMatching(/^con_/),
    url: `${URL}/connect/${'h'.repeat(43)}?provider=people`,
    expires_at: 1,
  });
  expect(asked()[count]?.request).toEqual({
    v: 1,
    server: has.mcp_server,
    lists: true,
    subject_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    credentials: expect.any(Array),
  });
  await change(has.provider, null);
  expect((await ask()).json).toMatchObject({ url: `${URL}/connect/${'h'.repeat(43)}` });
});

it('a caller by API key is refused, and the kernel is not asked', async () => {
  const count = asked().length;
  const key = await api.newKey(tenant.tenantId, 'operator');
  const { status, json } = await ask(connections(), key);
  expect([status, json]).toEqual([403, problem('auth.role', 403)]);
  expect(json['detail']).toContain('only a person can connect');
  expect(asked()).toHaveLength(count);
});

it('where nobody can sign in at the own identity provider, no link is made', async () => {
  const count = asked().length;
  await change('people', null);
  expect((await ask()).json).toEqual(problem('conflict', 409));
  expect(asked()).toHaveLength(count);
});

it('a connection is of its server alone', async () => {
  const other = `/v1/mcp-servers/other/connections/${has.connection_id}`;
  for (const method of ['GET', 'DELETE']) {
    expect((await api.ask(method, other, { key: tenant.admin })).json).toEqual(problem('not_found', 404));
    const own = await api.ask(method, `${connections()}/${has.connection_id}`, { key: tenant.admin });
    expect(own.json).toMatchObject({ connection_id: has.connection_id, server: has.mcp_server });
  }
  const none = await api.ask('GET', `${connections()}/${newId('connection')}`, { key: tenant.admin });
  expect(none.json).toEqual(problem('not_found', 404));
});
