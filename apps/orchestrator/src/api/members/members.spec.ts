// SPDX-License-Identifier: Apache-2.0
import { RESOURCE, testIssuer, type TestIssuer } from '../../specs/test-issuer.ts';
import { openTestApi, problem, TEST_CONFIG, type TestApi, type TestTenant } from '../../specs/test-api.ts';
import { newId } from '@writ/nest-kit';
import { IdentityHashes } from '../../edge/access/oauth/person-links.ts';
import { MemberSeal } from '../../edge/access/identity/member-seal.ts';
import type { NewProvider } from '../../store/identities/identities.ts';
import { registration } from '../../store/sign-ins/sign-ins.contract.ts';

let api: TestApi;
let tenant: TestTenant;
let issuer: TestIssuer;
beforeAll(async () => {
  issuer = await testIssuer('https://people.example.org');
  api = await openTestApi({ WRIT_PUBLIC_URL: RESOURCE });
  api.kernel.handlers.set('change.record', () => ({ recorded: newId('record') }));
});
afterAll(() => api.close());
beforeEach(async () => {
  tenant = await api.newTenant();
});

const ask = (method: string, path: string, body?: object, key = tenant.admin) =>
  api.ask(method, path, { key, ...(body === undefined ? {} : { body }) });
const makeService = async (name = 'bot') => String((await ask('POST', '/v1/members', { name })).json['member_id']);
const keyOf = async (body: object) =>
  (await ask('POST', '/v1/api-keys', { name: 'x', role: 'operator', ...body })).json as Record<string, string>;

describe('a service account', () => {
  it('has keys that name it, and is no person', async () => {
    const member_id = await makeService();
    const key = await keyOf({ member_id });
    expect(key).toMatchObject({ member_id, principal: null });
    expect((await ask('GET', '/v1/whoami', undefined, String(key['api_key']))).json).toMatchObject({
      member_id,
      principal: null,
      person_id: null,
    });
    expect((await ask('GET', `/v1/members/${member_id}`)).json).toMatchObject({ kind: 'service', name: 'bot' });
  });

  it('decides about no call and lends no right, and the kernel is not even asked', async () => {
    const { api_key = '' } = await keyOf({ member_id: await makeService() });
    const approval = `/v1/approvals/${newId('approval')}`;
    const lent = { to: 'ann', note: 'x', expires_at: Date.now() + 60_000 };
    api.kernel.requests.length = 0;
    for (const [path, body] of [
      [`${approval}/approve`, {}],
      [`${approval}/deny`, {}],
      [`${approval}/edit`, { args: {} }],
      [`${approval}/value`, { value: 'x' }],
      ['/v1/approvals/delegations', lent],
    ] as const)
      expect([path, (await ask('POST', path, body, api_key)).json]).toEqual([path, problem('auth.role', 403)]);
    expect(api.kernel.requests.filter(({ verb }) => /^(approval|delegation)\./.test(verb))).toEqual([]);
  });

  it('is named by its id alone: a key is of a person or of it', async () => {
    const member_id = await makeService();
    for (const body of [{ member_id, principal: 'ann' }, { principal: member_id }])
      expect(await keyOf(body)).toEqual(problem('request.malformed', 400));
    expect(await keyOf({ member_id: newId('member') })).toEqual(problem('not_found', 404));
    expect((await ask('PATCH', `/v1/members/${member_id}`, { role: 'admin' })).json).toMatchObject({
      code: 'request.malformed',
      pointer: '/role',
    });
  });

  it('is suspended with its keys, gets no others meanwhile, and goes on afterwards', async () => {
    const member_id = await makeService();
    const { api_key = '' } = await keyOf({ member_id });
    const patch = (state: string) => ask('PATCH', `/v1/members/${member_id}`, { state });
    expect((await patch('suspended')).json).toMatchObject({ state: 'suspended' });
    expect((await ask('GET', '/v1/whoami', undefined, api_key)).json).toEqual(problem('auth.invalid', 401));
    expect(await keyOf({ member_id })).toEqual(problem('conflict', 409));
    await patch('active');
    expect((await ask('GET', '/v1/whoami', undefined, api_key)).status).toBe(200);
  });
});

describe('a person', () => {
  const member = async (): Promise<string> => {
    const { items } = (await ask('GET', '/v1/members?kind=person')).json as { items: { member_id: string }[] };
    return items[0]?.member_id ?? '';
  };
  const put = (more: Partial<NewProvider> = {}) =>
    api.identities.put(
      tenant.tenantId,
      registration({
        ...{ issuer: issuer.issuer, audience: RESOURCE, person_claim: 'email', agent_id: tenant.agentId },
        hash_key_id: new IdentityHashes(TEST_CONFIG.webhookKey).keyId,
        ...more,
      }),
      20,
    );
  /** A key of Ann, as an administrator names her. */
  const annsKey = () => keyOf({ principal: 'ann@example.org', role: 'auditor' });

  it('is suspended with the keys that name them, whoever made them', async () => {
    await put();
    const { api_key = '' } = await annsKey();
    const hashes = new IdentityHashes(TEST_CONFIG.webhookKey);
    const link = hashes.of('person', tenant.tenantId, 'ann@example.org');
    const person_id = await api.identities.personOf(tenant.tenantId, link, newId('person'));
    const [provider] = await api.identities.list(tenant.tenantId);
    await api.members.vouch(tenant.tenantId, {
      ...{ member_id: newId('member'), subject_hash: Buffer.alloc(32, 7), person_id },
      ...{ provider_id: provider!.provider_id, principal: 'ann@example.org', sealed: 'x' },
    });
    const id = await member();
    expect((await ask('PATCH', `/v1/members/${id}`, { state: 'suspended' })).status).toBe(200);
    expect((await ask('GET', '/v1/whoami', undefined, api_key)).json).toEqual(problem('auth.invalid', 401));
    expect(await annsKey()).toEqual(problem('conflict', 409));
    const told = () =>
      api.kernel.requests.filter(({ verb }) => verb === 'person.suspend').map(({ request }) => request);
    expect(told().at(-1)).toMatchObject({ member_id: id, suspended: true, principals: ['ann@example.org'] });
    // Forgetting them would let them in again as somebody new.
    expect((await ask('DELETE', `/v1/persons/${person_id}`)).json).toEqual(problem('conflict', 409));
    await ask('PATCH', `/v1/members/${id}`, { role: 'auditor' });
    const before = told().length;
    expect((await ask('PATCH', `/v1/members/${id}`, { state: 'active' })).status).toBe(200);
    expect(told().slice(before)).toMatchObject([{ member_id: id, suspended: false }]);
  });

  it('is a pseudonym for auditors', async () => {
    await api.members.create(
      tenant.tenantId,
      {
        ...{ member_id: newId('member'), kind: 'person', person_id: newId('person'), name: null, role: null },
        ...{ sealed: await api.app.get(MemberSeal).seal(tenant.tenantId, WHO), created_by: 'key_x' },
      },
      'ann@example.org',
      10,
      async () => undefined,
    );
    const path = `/v1/members/${await member()}`;
    expect((await ask('GET', path)).json).toMatchObject({ name: 'ann@example.org', issuer: 'x', subject: 'ann-1' });
    expect((await ask('GET', path, undefined, tenant.auditor)).json).toMatchObject({
      name: null,
      issuer: null,
      subject: null,
      person_id: expect.stringMatching(/^per_/),
    });
  });
});

const WHO = { principal: 'ann@example.org', issuer: 'x', subject: 'ann-1' };
