// SPDX-License-Identifier: Apache-2.0
import { Fault, type Id } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { newJob } from '../../store/jobs/jobs.contract.ts';
import { openTestApi, PLATFORM_KEY, problem, type TestApi, type TestTenant } from '../../specs/test-api.ts';

let api: TestApi;
let tenant: TestTenant;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  tenant = await api.newTenant();
  api.kernel.requests.length = 0;
  api.kernel.handlers.set('change.record', () => ({ recorded: 'rec_01kdvq8qfwe9gr4v9m1h7e3x2z' }));
});

const create = (body: object) => api.ask('POST', '/v1/api-keys', { key: tenant.admin, body });
const keysOf = async (): Promise<Record<string, unknown>[]> =>
  (await api.ask('GET', '/v1/api-keys', { key: tenant.admin })).json['items'] as Record<string, unknown>[];

describe('a new key', () => {
  it('is shown once, recorded before it is created, and authenticates its holder with its role', async () => {
    const { status, json } = await create({ name: 'deploy', role: 'operator' });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      name: 'deploy',
      role: 'operator',
      agent_id: null,
      revoked_at: null,
      api_key: expect.stringMatching(/^writ_[0-9a-z]{26}_[A-Za-z0-9_-]{43}$/),
    });
    expect(api.kernel.requests).toEqual([
      { verb: 'change.record', request: { v: 1, verb: 'api_key_created', subject: json['api_key_id'] } },
    ]);
    expect((await api.ask('GET', '/v1/approvals', { key: json['api_key'] as string })).status).toBe(200);
    expect((await api.ask('GET', '/v1/api-keys', { key: json['api_key'] as string })).json).toEqual(
      problem('auth.role', 403),
    );
    expect(JSON.stringify(await keysOf())).not.toContain((json['api_key'] as string).slice(-43));
  });

  it("is not created if it can't be recorded", async () => {
    const before = await keysOf();
    api.kernel.handlers.set('change.record', () => {
      throw new Fault('record.backlog');
    });
    expect((await create({ name: 'deploy', role: 'admin' })).json).toEqual(problem('record.backlog', 503));
    expect(await keysOf()).toEqual(before);
  });

  it('has an agent of the tenant if its role is agent, and no agent otherwise', async () => {
    const other = await api.newTenant();
    expect((await create({ name: 'a', role: 'agent', agent_id: tenant.agentId })).json).toMatchObject({
      role: 'agent',
      agent_id: tenant.agentId,
    });
    expect((await create({ name: 'a', role: 'agent', agent_id: other.agentId })).json).toEqual(
      problem('not_found', 404),
    );
    for (const body of [
      { name: 'a', role: 'agent' },
      { name: 'a', role: 'admin', agent_id: tenant.agentId },
    ]) {
      expect((await create(body)).json).toMatchObject({ code: 'request.malformed', pointer: '/agent_id' });
    }
  });
});

describe('a revoked key', () => {
  it('is rejected from then on, and is listed as revoked', async () => {
    const { api_key_id, api_key } = (await create({ name: 'x', role: 'auditor' })).json as {
      api_key_id: string;
      api_key: string;
    };
    expect((await api.ask('GET', '/v1/tools', { key: api_key })).status).toBe(200);
    const revoked = await api.ask('DELETE', `/v1/api-keys/${api_key_id}`, { key: tenant.admin });
    expect(revoked.json).toMatchObject({ api_key_id, revoked_at: expect.any(Number) });
    expect(api.kernel.requests.at(-1)).toEqual({ verb: 'api_key.revoke', request: { v: 1, api_key_id } });
    expect((await api.ask('GET', '/v1/tools', { key: api_key })).json).toEqual(problem('auth.invalid', 401));
    // A repeated revocation changes nothing here. The kernel gets the request again, in case a process crashed in
    // between.
    const asked = api.kernel.requests.length;
    expect((await api.ask('DELETE', `/v1/api-keys/${api_key_id}`, { key: tenant.admin })).json).toEqual(revoked.json);
    expect(api.kernel.requests.slice(asked)).toMatchObject([{ verb: 'api_key.revoke' }]);
  });

  it('is returned with the tokens and jobs that it created and that remain', async () => {
    const { api_key_id } = (await create({ name: 'x', role: 'admin' })).json as { api_key_id: Id<'apiKey'> };
    const token = { capability_token_id: newId('token'), agent_id: tenant.agentId, expires_at: 9 };
    api.kernel.handlers.set('api_key.revoke', () => ({ tokens: [token], more_tokens: true }));
    const { job_id } = await api.jobs.create(tenant.tenantId, newJob(api_key_id), 10);
    await api.jobs.create(tenant.tenantId, newJob(newId('apiKey')), 10);
    const { json } = await api.ask('DELETE', `/v1/api-keys/${api_key_id}`, { key: tenant.admin });
    expect(json['remains']).toEqual({
      capability_tokens: [token],
      jobs: [{ job_id, name: 'nightly', state: 'active' }],
      more: true,
    });
    api.kernel.handlers.set('api_key.revoke', () => ({ tokens: [], more_tokens: false }));
  });

  it("stays valid if the revocation can't be recorded", async () => {
    const { api_key_id, api_key } = (await create({ name: 'x', role: 'auditor' })).json as {
      api_key_id: string;
      api_key: string;
    };
    api.kernel.handlers.set('api_key.revoke', () => {
      throw new Fault('bus.unreachable');
    });
    expect((await api.ask('DELETE', `/v1/api-keys/${api_key_id}`, { key: tenant.admin })).status).toBe(503);
    expect((await api.ask('GET', '/v1/tools', { key: api_key })).status).toBe(200);
    api.kernel.handlers.set('api_key.revoke', () => ({ tokens: [], more_tokens: false }));
    expect((await api.ask('DELETE', `/v1/api-keys/${api_key_id}`, { key: tenant.admin })).status).toBe(200);
  });

  it('is never the last one of an administrator', async () => {
    const last = (await keysOf()).find((key) => key['role'] === 'admin');
    expect(
      (await api.ask('DELETE', `/v1/api-keys/${String(last?.['api_key_id'])}`, { key: tenant.admin })).json,
    ).toEqual(problem('conflict', 409));
    expect(api.kernel.requests.filter(({ verb }) => verb === 'api_key.revoke')).toEqual([]);
    expect((await api.ask('GET', '/v1/tools', { key: tenant.admin })).status).toBe(200);
  });
});

describe('a new tenant', () => {
  it("is created only with the platform key, and its first key is an administrator's", async () => {
    const { status, json } = await api.ask('POST', '/v1/tenants', { key: PLATFORM_KEY, body: { name: 'second' } });
    expect([status, json]).toEqual([
      201,
      {
        tenant_id: expect.stringMatching(/^ten_/),
        name: 'second',
        api_key_id: expect.stringMatching(/^key_/),
        api_key: expect.stringMatching(/^writ_/),
      },
    ]);
    expect((await api.ask('POST', '/v1/agents', { key: json['api_key'] as string, body: { name: 'a' } })).status).toBe(
      201,
    );
    expect(
      (await api.ask('POST', '/v1/tenants', { key: json['api_key'] as string, body: { name: 'third' } })).json,
    ).toEqual(problem('auth.role', 403));
  });

  it.each([{}, { name: '' }, { name: ' a' }, { name: 'a'.repeat(65) }, { name: 'a\n' }, { name: 7 }])(
    'named %j is none',
    async (body) => {
      expect((await api.ask('POST', '/v1/tenants', { key: PLATFORM_KEY, body })).json).toEqual(
        problem('request.malformed', 400),
      );
    },
  );
});

describe('a key that ends', () => {
  it('says its end, and is refused where the end has passed', async () => {
    const expires_at = Date.now() + 3_600_000;
    expect((await create({ name: 'x', role: 'auditor', expires_at })).json).toMatchObject({ expires_at });
    expect((await create({ name: 'x', role: 'auditor', expires_at: Date.now() - 1 })).json).toMatchObject({
      code: 'request.malformed',
      pointer: '/expires_at',
    });
  });

  it('leaves the tenant a key of an administrator that lasts', async () => {
    const { api_key } = (await create({ name: 'x', role: 'admin', expires_at: Date.now() + 3_600_000 })).json;
    const [first] = (await keysOf()).filter(({ role, expires_at }) => role === 'admin' && expires_at === null);
    const id = String(first?.['api_key_id']);
    const ends = await api.ask('DELETE', `/v1/api-keys/${id}`, { key: String(api_key) });
    expect(ends.json).toMatchObject({ code: 'conflict' });
    const body = { overlap_ms: 0, expires_at: Date.now() + 3_600_000 };
    expect((await api.ask('POST', `/v1/api-keys/${id}/rotate`, { key: String(api_key), body })).json).toMatchObject({
      code: 'conflict',
    });
  });
});

describe('a key with scopes', () => {
  const withScopes = async (...scopes: string[]): Promise<string> =>
    String((await create({ name: 'x', role: 'admin', scopes })).json['api_key']);

  it('may use the routes of its scopes, and no others of its role', async () => {
    const key = await withScopes('operations:read', 'agents:write');
    expect((await api.ask('GET', '/v1/operations', { key })).status).toBe(200);
    expect((await api.ask('POST', '/v1/agents', { key, body: { name: 'one' } })).status).toBe(201);
    for (const [method, path, scope] of [
      ['GET', '/v1/agents', 'agents:read'],
      ['GET', '/v1/api-keys', 'api-keys:read'],
      ['POST', '/v1/api-keys', 'api-keys:write'],
    ] as const)
      expect((await api.ask(method, path, { key, ...(method === 'POST' ? { body: {} } : {}) })).json).toMatchObject({
        code: 'auth.insufficient_scope',
        detail: expect.stringContaining(`\`${scope}\``),
      });
    expect((await api.ask('GET', '/v1/whoami', { key })).json).toMatchObject({
      scopes: ['operations:read', 'agents:write'],
    });
  });

  it('has no scope that does not exist, and none with which it could make itself another key', async () => {
    for (const scope of ['operation:read', 'pages:read', 'api-keys:write', 'identity-providers:write'])
      expect((await create({ name: 'x', role: 'admin', scopes: [scope] })).json).toMatchObject({
        code: 'request.malformed',
        pointer: '/scopes',
      });
    expect((await create({ name: 'x', role: 'admin', scopes: [] })).status).toBe(400);
  });
});

describe('a rotated key', () => {
  const rotateOwn = (key: string, overlap_ms: number) =>
    api.ask('POST', '/v1/api-keys/own/rotate', { key, body: { overlap_ms } });
  const isGood = async (key: string): Promise<boolean> => (await api.ask('GET', '/v1/whoami', { key })).status === 200;

  it('keeps its id, is recorded before it changes, and leaves the former secret for the overlap', async () => {
    const made = (await create({ name: 'x', role: 'operator' })).json;
    const first = String(made['api_key']);
    api.kernel.requests.length = 0;
    const { status, json } = await rotateOwn(first, 60_000);
    expect([status, json]).toMatchObject([200, { api_key_id: made['api_key_id'], former_until: expect.any(Number) }]);
    expect(api.kernel.requests).toMatchObject([
      { verb: 'change.record', request: { verb: 'api_key_rotated', subject: made['api_key_id'] } },
    ]);
    const second = String(json['api_key']);
    expect(second).not.toBe(first);
    expect([await isGood(first), await isGood(second)]).toEqual([true, true]);
    await rotateOwn(second, 0);
    expect([await isGood(first), await isGood(second)]).toEqual([false, false]);
  });

  it('is not taken over by its former secret', async () => {
    const first = String((await create({ name: 'x', role: 'operator' })).json['api_key']);
    const second = String((await rotateOwn(first, 60_000)).json['api_key']);
    expect((await rotateOwn(first, 0)).json).toMatchObject({ code: 'conflict' });
    expect(await isGood(second)).toBe(true);
  });

  it("stays as it was if it can't be recorded", async () => {
    const key = String((await create({ name: 'x', role: 'operator' })).json['api_key']);
    api.kernel.handlers.set('change.record', () => {
      throw new Fault('record.backlog');
    });
    expect((await rotateOwn(key, 0)).json).toMatchObject({ code: 'record.backlog' });
    expect(await isGood(key)).toBe(true);
  });

  it('never moves its own end to a later time, and an administrator moves that of another', async () => {
    const expires_at = Date.now() + 3_600_000;
    const { api_key, api_key_id } = (await create({ name: 'x', role: 'admin', expires_at })).json as Record<
      string,
      string
    >;
    const rotate = (key: string, end: number | null) =>
      api.ask('POST', `/v1/api-keys/${api_key_id}/rotate`, { key, body: { overlap_ms: 60_000, expires_at: end } });
    for (const end of [expires_at + 1, null])
      expect((await rotate(String(api_key), end)).json).toMatchObject({ code: 'auth.role', pointer: '/expires_at' });
    expect((await rotate(String(api_key), expires_at - 1_000)).json).toMatchObject({ expires_at: expires_at - 1_000 });
    expect((await rotate(tenant.admin, null)).json).toMatchObject({ expires_at: null });
  });
});
