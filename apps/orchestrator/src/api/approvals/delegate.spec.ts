// SPDX-License-Identifier: Apache-2.0
import { openTestApi, problem, type TestApi, type TestTenant } from '../../specs/test-api.ts';

let api: TestApi;
let tenant: TestTenant;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  tenant = await api.newTenant();
  api.kernel.requests.length = 0;
});

const lend = (to: string, key = tenant.admin) =>
  api.ask('POST', '/v1/approvals/delegations', { key, body: { to, note: 'away', expires_at: 9_000_000_000_000 } });
const makeKey = async (role: string, principal?: string): Promise<string> => {
  const body = {
    name: 'a key',
    role,
    ...(role === 'agent' ? { agent_id: tenant.agentId } : {}),
    ...(principal === undefined ? {} : { principal }),
  };
  const { status, json } = await api.ask('POST', '/v1/api-keys', { key: tenant.admin, body });
  expect(status).toBe(201);
  return json['api_key_id'] as string;
};
const isAsked = (): boolean => api.kernel.requests.some(({ verb }) => verb === 'delegation.create');

describe('the delegation of a right to approve', () => {
  it.each(['admin', 'operator'])('to a person with a key of the role %s is made', async (role) => {
    await makeKey('auditor', 'bob');
    await makeKey(role, 'bob');
    expect((await lend('bob')).status).toBe(201);
    expect((await lend(await makeKey(role))).status).toBe(201);
  });

  it.each(['auditor', 'agent'])(
    'to a person with keys of the role %s alone is refused, and says which role it takes',
    async (role) => {
      const id = await makeKey(role);
      await makeKey(role, 'bob');
      for (const to of ['bob', id]) {
        const { json } = await lend(to);
        expect(json).toEqual(problem('request.malformed', 400));
        const detail = expect.stringContaining(
          `only keys of the role \`${role}\` belong to \`${to}\`, and an approval takes the role \`admin\` or \`operator\``,
        ) as unknown;
        expect(json).toMatchObject({ pointer: '/to', detail });
      }
      expect(isAsked()).toBe(false);
    },
  );

  it("to an unknown person, another tenant's person or a revoked key is refused alike", async () => {
    const other = await api.newTenant();
    await api.ask('POST', '/v1/api-keys', {
      key: other.admin,
      body: { name: 'x', role: 'operator', principal: 'carol' },
    });
    const gone = await makeKey('operator');
    await api.ask('DELETE', `/v1/api-keys/${gone}`, { key: tenant.admin });
    for (const to of ['nobody', 'carol', gone]) {
      const detail = expect.stringContaining(`nobody with a valid API key is called \`${to}\``) as unknown;
      expect((await lend(to)).json).toMatchObject({ code: 'request.malformed', pointer: '/to', detail });
    }
    expect(isAsked()).toBe(false);
  });

  it('by a caller who may not delegate is refused without reading keys', async () => {
    for (const to of ['nobody', await makeKey('operator')])
      expect((await lend(to, tenant.auditor)).json).toEqual(problem('auth.role', 403));
  });
});
