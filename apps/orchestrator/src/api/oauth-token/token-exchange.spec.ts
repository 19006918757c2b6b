// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { GRANT } from '../../specs/tenant-fixture.ts';
import { openTestApi, PLATFORM_KEY, type TestApi, type TestTenant } from '../../specs/test-api.ts';
import { TOKEN_EXCHANGE } from './token-exchange.ts';

const URL_HERE = 'https://writ.example.org';
const TYPE = 'urn:ietf:params:oauth:token-type:access_token';

let api: TestApi;
let tenant: TestTenant;
let token: string;
beforeAll(async () => {
  api = await openTestApi({ WRIT_PUBLIC_URL: URL_HERE });
});
afterAll(() => api.close());
beforeEach(async () => {
  tenant = await api.newTenant();
  const grant = { ...GRANT, expires_at: Date.now() + 3_600_000 };
  const body = { agent_id: tenant.agentId, workspace_id: null, grant };
  const issued = await api.ask('POST', '/v1/capability-tokens', { key: tenant.admin, body });
  token = String(issued.json['capability_token_id']);
  api.kernel.requests.length = 0;
});

const detailsOf = (more: object = {}) => JSON.stringify([{ type: 'writ_grant', capability_token_id: token, ...more }]);
const send = (fields: Record<string, string> | URLSearchParams) =>
  api.ask('POST', '/v1/oauth/token', {
    text: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
const exchange = (over: Record<string, string | undefined> = {}) => {
  const fields = {
    grant_type: TOKEN_EXCHANGE,
    subject_token: tenant.agent,
    subject_token_type: TYPE,
    scope: 'fs.read',
    authorization_details: detailsOf(),
    ...over,
  };
  return send(Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never);
};

describe('a token exchange', () => {
  it('gives a credential of the agent that is bound to a new token, ends soon and is not listed', async () => {
    const { status, json, headers } = await exchange();
    expect([status, json]).toMatchObject([
      200,
      {
        access_token: expect.stringMatching(/^writ_x_/),
        issued_token_type: 'urn:writ:params:oauth:token-type:capability',
        token_type: 'Bearer',
        scope: 'fs.read',
      },
    ]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(json['expires_in']).toBeGreaterThan(890);
    expect(json['expires_in']).toBeLessThanOrEqual(900);
    const who = (await api.ask('GET', '/v1/whoami', { key: String(json['access_token']) })).json;
    expect(who).toMatchObject({
      kind: 'exchanged_token',
      role: 'agent',
      agent_id: tenant.agentId,
      capability_token_id: json['capability_token_id'],
    });
    const listed = await api.ask('GET', '/v1/api-keys', { key: tenant.admin });
    expect(listed.text).not.toContain(String(who['api_key_id']));
  });

  it('is made and bound by the kernel before the credential exists', async () => {
    const handler = api.kernel.handlers.get('credential.exchange');
    if (handler === undefined) throw new Error('the fake kernel exchanges nothing');
    api.kernel.handlers.set('credential.exchange', () => {
      throw new Fault('record.backlog');
    });
    expect((await exchange()).json).toMatchObject({ code: 'record.backlog' });
    api.kernel.handlers.set('credential.exchange', () => {
      throw new Fault('token.not_narrower', '`net` is not within the parent`s');
    });
    const { status, json } = await exchange();
    expect([status, json]).toMatchObject([400, { error: 'invalid_scope', error_description: expect.any(String) }]);
    api.kernel.handlers.set('credential.exchange', handler);
  });

  it.each([
    ['no tools', { scope: undefined }, 'invalid_scope'],
    ['tools that are none', { scope: 'fs.read fs./**' }, 'invalid_scope'],
    ['an actor', { actor_token: 'x', actor_token_type: TYPE }, 'invalid_request'],
    ['another type of subject', { subject_token_type: 'urn:ietf:params:oauth:token-type:saml2' }, 'invalid_request'],
    [
      'another type of token',
      { requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' },
      'invalid_request',
    ],
    ['another audience', { audience: `${URL_HERE}.evil` }, 'invalid_target'],
    ['another resource', { resource: `${URL_HERE}/mcp` }, 'invalid_target'],
    ['no details', { authorization_details: undefined }, 'invalid_request'],
    ['details that are no JSON', { authorization_details: '{' }, 'invalid_request'],
    ['a made-up key', { subject_token: `writ_${'0'.repeat(26)}_${'A'.repeat(43)}` }, 'invalid_request'],
    ['no key at all', { subject_token: 'word' }, 'invalid_request'],
    ['the platform key', { subject_token: PLATFORM_KEY }, 'invalid_request'],
  ])('with %s is refused', async (_what, over, error) => {
    const { status, json } = await exchange(over);
    expect([status, json['error']]).toEqual([400, error]);
    expect(api.kernel.requests.filter(({ verb }) => verb === 'credential.exchange')).toEqual([]);
  });

  it('with details of another type, of two grants, or of times is refused', async () => {
    const one = { type: 'writ_grant', capability_token_id: token };
    for (const details of [
      [{ ...one, type: 'payment' }],
      [one, one],
      [{ ...one, expires_at: Date.now() + 9_999_999 }],
      [{ ...one, not_before: 0 }],
      [{ ...one, expires_in: 901 }],
      [{ ...one, may_act: 'x' }],
      { ...one },
    ])
      expect((await exchange({ authorization_details: JSON.stringify(details) })).json['error']).toBe(
        'invalid_request',
      );
  });

  it('names each parameter once', async () => {
    const { json } = await send(new URLSearchParams('grant_type=a&grant_type=b'));
    expect(json).toMatchObject({ error: 'invalid_request' });
  });

  it("is an agent's alone, and of its own tokens", async () => {
    for (const role of ['admin', 'operator', 'auditor', 'worker'] as const)
      expect((await exchange({ subject_token: tenant[role] })).json['error']).toBe('invalid_request');
    const other = await api.newTenant();
    expect((await exchange({ subject_token: other.agent })).json).toEqual({
      error: 'invalid_scope',
      error_description: 'the agent has no such capability token',
    });
    expect(
      (
        await exchange({
          authorization_details: JSON.stringify([{ type: 'writ_grant', capability_token_id: newId('token') }]),
        })
      ).json,
    ).toEqual({ error: 'invalid_scope', error_description: 'the agent has no such capability token' });
  });

  it('is refused to a key whose scopes lack the calls of tools', async () => {
    const keyWith = async (...scopes: string[]): Promise<string> => {
      const body = { name: 'x', role: 'agent', agent_id: tenant.agentId, scopes };
      return String((await api.ask('POST', '/v1/api-keys', { key: tenant.admin, body })).json['api_key']);
    };
    expect((await exchange({ subject_token: await keyWith('tools:read') })).json['error']).toBe('invalid_request');
    const { access_token } = (await exchange({ subject_token: await keyWith('tool-calls:write') })).json;
    expect((await api.ask('GET', '/v1/whoami', { key: String(access_token) })).json).toMatchObject({
      scopes: ['tool-calls:write'],
    });
  });

  it('lasts no longer than the key, and ends with it', async () => {
    const body = { name: 'x', role: 'agent', agent_id: tenant.agentId, expires_at: Date.now() + 60_000 };
    const key = (await api.ask('POST', '/v1/api-keys', { key: tenant.admin, body })).json;
    const { access_token, expires_in } = (await exchange({ subject_token: String(key['api_key']) })).json;
    expect(expires_in).toBeLessThanOrEqual(60);
    const isGood = async () => (await api.ask('GET', '/v1/whoami', { key: String(access_token) })).status === 200;
    expect(await isGood()).toBe(true);
    await api.ask('DELETE', `/v1/api-keys/${String(key['api_key_id'])}`, { key: tenant.admin });
    expect(await isGood()).toBe(false);
  });
});

describe('a credential that was exchanged', () => {
  it('is not exchanged again, rotated or used for anything but calls', async () => {
    const { access_token: key } = (await exchange()).json as { access_token: string };
    expect((await exchange({ subject_token: key })).json['error']).toBe('invalid_request');
    expect((await api.ask('POST', '/v1/api-keys/own/rotate', { key, body: { overlap_ms: 0 } })).json).toMatchObject({
      code: 'conflict',
    });
    for (const [method, path, body] of [
      ['POST', '/v1/sessions', {}],
      ['GET', '/v1/sessions', undefined],
      ['GET', '/v1/events', undefined],
      ['GET', '/v1/workspaces', undefined],
      ['POST', `/v1/capability-tokens/${token}/attenuate`, { grant: GRANT }],
      ['POST', `/v1/capability-tokens/${token}/revoke`, {}],
      ['POST', '/mcp', {}],
    ] as const) {
      const { json } = await api.ask(method, path, { key, ...(body === undefined ? {} : { body }) });
      expect([path, json['code']]).toEqual([path, 'auth.insufficient_scope']);
    }
    expect((await api.ask('GET', '/v1/tools', { key })).status).toBe(200);
  });
});

it('no log line and no request to the kernel has a secret of a key, a rotated key or an exchanged credential', async () => {
  const key = String(
    (await api.ask('POST', '/v1/api-keys/own/rotate', { key: tenant.agent, body: { overlap_ms: 0 } })).json['api_key'],
  );
  const { access_token } = (await exchange({ subject_token: key })).json;
  await api.ask('GET', '/v1/whoami', { key: String(access_token) });
  await exchange({ subject_token: `${key}x` });
  const said = `${api.lines.join('')}${JSON.stringify(api.kernel.requests)}`;
  for (const secret of [tenant.agent, key, String(access_token)]) expect(said).not.toContain(secret.slice(-43));
});
