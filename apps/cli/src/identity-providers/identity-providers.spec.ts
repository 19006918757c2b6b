// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';
import { IDS } from '../specs/samples.ts';

const PROVIDER = {
  name: 'corp',
  issuer: 'https://login.example.com',
  audience: 'https://writ.example.org',
  tenant_claim: null,
  tenant_value: null,
  scopes: [
    { scope: 'writ.use', role: 'agent' },
    { scope: 'https://x.example/a=b', role: 'operator' },
  ],
  groups_claim: 'groups',
  groups: [{ group: 'Writ = admins', role: 'admin' }],
  person_claim: 'email',
  agent_id: IDS.agent,
  agent_claim: null,
  sign_in: { client_id: 'writ' },
  redirect_uri: 'https://writ.example.org/connect/signed-in/idp_1',
  updated_at: 1_767_225_600_000,
};
const PERSON = 'per_01kdvq8qfwe9gr4v9m1h7e3x2z';

let api: FakeApi;
/** What a removal, a denial or a forgetting revokes, one request after the other. */
let pages: { revoked: string[]; more: boolean }[];
beforeAll(async () => {
  api = await fakeApi(({ url, method }) => {
    if (url.startsWith('/v1/persons'))
      return method === 'GET'
        ? { body: { person_id: PERSON, created_at: 1_767_225_600_000 } }
        : { body: { person_id: PERSON, forgotten: true, ...pages.shift() } };
    if (method === 'GET') return { body: { items: [PROVIDER] } };
    return url.endsWith('/identity-providers') ? { body: PROVIDER } : { body: { name: 'corp', ...pages.shift() } };
  });
});
afterAll(() => api.close());
beforeEach(() => {
  api.requests.length = 0;
  pages = [
    { revoked: ['key_1', 'key_2'], more: true },
    { revoked: ['key_3'], more: false },
  ];
});
const run = (...args: string[]) => writ(args, { env: api.env });

test('`writ identity-providers` lists the issuers with their scopes', async () => {
  const { exit, out } = await run('identity-providers');
  expect(exit).toBe(0);
  expect(out).toMatch(/corp +https:\/\/login\.example\.com +writ\.use=agent https:\/\/x\.example\/a=b=operator/);
});

test('`writ identity-providers put` sends only what its options name', async () => {
  const { out } = await run('identity-providers', 'put', 'corp', PROVIDER.issuer);
  // The answer shows what stays as it was, too.
  expect(out).toMatch(/audience +https:\/\/writ\.example\.org\n.*tenant claim +none\n/s);
  expect(out).toMatch(/groups claim +groups\ngroups +Writ = admins=admin\n/);
  expect(out).toMatch(/person claim +email\n/);
  expect(out).toMatch(/redirect URI +https:\/\/writ\.example\.org\/connect\/signed-in\/idp_1\n/);
  expect(out).toContain(IDS.agent);
  expect(api.requests[0]).toMatchObject({ method: 'POST', url: '/v1/identity-providers' });
  expect(JSON.parse(api.requests[0]?.body ?? '')).toEqual({ name: 'corp', issuer: PROVIDER.issuer });
  await run(
    ...['identity-providers', 'put', 'corp', PROVIDER.issuer, '--person-claim', 'email', '--agent-id', IDS.agent],
    ...['--scope', 'writ.use=agent', 'https://x.example/a=b=operator', '--tenant-claim', 'org=acme'],
    ...['--audience', PROVIDER.audience, '--sign-in-client', 'writ'],
  );
  expect(JSON.parse(api.requests[1]?.body ?? '')).toEqual({
    name: 'corp',
    issuer: PROVIDER.issuer,
    audience: PROVIDER.audience,
    scopes: PROVIDER.scopes,
    person_claim: 'email',
    agent_id: IDS.agent,
    tenant_claim: 'org',
    tenant_value: 'acme',
    sign_in: { client_id: 'writ' },
  });
  await run('identity-providers', 'put', 'corp', PROVIDER.issuer, '--no-sign-in-client');
  expect(JSON.parse(api.requests[2]?.body ?? '')).toMatchObject({ sign_in: null });
});

test('`writ identity-providers put` reads the access token from a file, and needs none with the platform key', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'writ-token-')), 'token');
  writeFileSync(file, 'a.b.c\n');
  await run('identity-providers', 'put', 'corp', PROVIDER.issuer, '--access-token-file', file);
  expect(JSON.parse(api.requests[0]?.body ?? '')).toMatchObject({ access_token: 'a.b.c' });
  await run('identity-providers', 'put', 'corp', PROVIDER.issuer, '--tenant', IDS.tenant);
  expect(api.requests[1]).toMatchObject({ url: `/v1/tenants/${IDS.tenant}/identity-providers` });
  expect(JSON.parse(api.requests[1]?.body ?? '')).toEqual({ name: 'corp', issuer: PROVIDER.issuer });
  const missing = await run('identity-providers', 'put', 'corp', PROVIDER.issuer, '--access-token-file', `${file}x`);
  expect([missing.exit, api.requests.length]).toEqual([2, 2]);
});

test('`writ identity-providers put` maps groups to roles, and clears them', async () => {
  const put = (...more: string[]) => run('identity-providers', 'put', 'corp', PROVIDER.issuer, ...more);
  await put('--groups-claim', 'groups', '--group', 'Writ = admins=admin', 'writ-users=agent');
  const groups = [
    { group: 'Writ = admins', role: 'admin' },
    { group: 'writ-users', role: 'agent' },
  ];
  const named = { name: 'corp', issuer: PROVIDER.issuer };
  expect(JSON.parse(api.requests[0]?.body ?? '')).toEqual({ ...named, groups_claim: 'groups', groups });
  await put('--no-groups');
  expect(JSON.parse(api.requests[1]?.body ?? '')).toEqual({ ...named, groups_claim: null, groups: [] });
  const both = await put('--no-groups', '--group', 'a=agent');
  expect([both.exit, api.requests.length]).toEqual([2, 2]);
});

test('`writ identity-providers put` names the workloads of a cluster, and its keys', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'writ-jwks-')), 'jwks.json');
  writeFileSync(file, '{"keys":[{"kid":"a"}]}');
  const put = (...more: string[]) => run('identity-providers', 'put', 'corp', PROVIDER.issuer, ...more);
  await put(
    ...['--tenant', IDS.tenant, '--profile', 'kubernetes', '--jwks-file', file],
    ...['--workload', `team-a/b.c=agent:${IDS.agent}:${IDS.token}`, 'x/y=worker:acme.*,fs.read', 'x/z=auditor'],
  );
  expect(JSON.parse(api.requests[0]?.body ?? '')).toEqual({
    name: 'corp',
    issuer: PROVIDER.issuer,
    profile: 'kubernetes',
    workloads: [
      {
        ...{ subject: 'system:serviceaccount:team-a:b.c', role: 'agent' },
        ...{ agent_id: IDS.agent, capability_token_id: IDS.token },
      },
      { subject: 'system:serviceaccount:x:y', role: 'worker', tools: ['acme.*', 'fs.read'] },
      { subject: 'system:serviceaccount:x:z', role: 'auditor' },
    ],
    jwks: { keys: [{ kid: 'a' }] },
  });
  await put('--no-workloads', '--no-jwks');
  expect(JSON.parse(api.requests[1]?.body ?? '')).toMatchObject({ workloads: [], jwks: null });
  expect([(await put('--workload', 'team-a')).exit, api.requests.length]).toEqual([2, 2]);
});

test('`writ identity-providers put --no-agent` clears which agent tokens act for, and names no other', async () => {
  const put = (...more: string[]) => run('identity-providers', 'put', 'corp', PROVIDER.issuer, ...more);
  await put('--no-agent');
  const none = { name: 'corp', issuer: PROVIDER.issuer, agent_id: null, agent_claim: null };
  expect(JSON.parse(api.requests[0]?.body ?? '')).toEqual(none);
  const both = await put('--no-agent', '--agent-claim', 'agent');
  expect([both.exit, api.requests.length]).toEqual([2, 1]);
});

test('`writ identity-providers delete` and `deny` repeat the request until nothing is left', async () => {
  expect((await run('identity-providers', 'delete', 'corp')).out).toMatch(/credentials +3/);
  expect(api.requests.map(({ method }) => method)).toEqual(['DELETE', 'DELETE']);
  pages = [
    { revoked: ['key_1'], more: true },
    { revoked: [], more: false },
  ];
  const { out } = await run('identity-providers', 'deny', 'corp', '--subject', 'ann-1', '--json');
  expect(JSON.parse(out)).toEqual({ name: 'corp', revoked: ['key_1'], more: false });
  expect(api.requests.slice(2).map(({ url, body }) => [url, JSON.parse(body)])).toEqual(
    Array(2).fill(['/v1/identity-providers/corp/denials', { subject: 'ann-1' }]),
  );
});

test('`writ persons` finds a pseudonym, and unlinks it with all its credentials', async () => {
  expect((await run('persons', 'find', '--principal', 'ann@example.org')).out).toContain(PERSON);
  expect((await run('persons', 'find', '--issuer', PROVIDER.issuer, '--subject', 'a&b')).exit).toBe(0);
  expect(api.requests.map(({ url }) => url)).toEqual([
    '/v1/persons?principal=ann%40example.org',
    '/v1/persons?issuer=https%3A%2F%2Flogin.example.com&subject=a%26b',
  ]);
  expect((await run('persons', 'forget', PERSON)).out).toMatch(/credentials +3/);
  expect(api.requests.slice(2).map(({ method, url }) => [method, url])).toEqual(
    Array(2).fill(['DELETE', `/v1/persons/${PERSON}`]),
  );
});

test.each([
  [['identity-providers', 'put', 'corp', 'https://x.example', '--scope', 'agent']],
  [['identity-providers', 'put', 'corp', 'https://x.example', '--tenant-claim', 'org=']],
  [['identity-providers', 'deny', 'corp']],
  [['identity-providers', 'deny', 'corp', '--subject', 'a', '--jti', 'b']],
  [['persons', 'find']],
])('%j is refused before anything is sent', async (args) => {
  expect((await run(...args)).exit).toBe(2);
  expect(api.requests).toEqual([]);
});
