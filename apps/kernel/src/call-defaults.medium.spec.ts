// SPDX-License-Identifier: Apache-2.0
// Under which token and in which workspace a call may be made that names none, asked of a whole kernel.
import { Fault, type CallDefaultsReply, type Caller, type Grant } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openTestProcess } from './specs/test-process.ts';
import { TestTenant } from './specs/test-tenant.ts';

let process: Awaited<ReturnType<typeof openTestProcess>>;
beforeAll(async () => {
  process = await openTestProcess();
}, 120_000);
afterAll(() => process.close());

const GRANT: Grant = {
  tools: ['*'],
  fs: [],
  net: [],
  secrets: [],
  budgets: {},
  not_before: 0,
  expires_at: Date.now() + 600_000,
};

async function scene() {
  const { admin, blobs, config } = process;
  const tenant = await TestTenant.create(admin, blobs, config.masterKeys.current);
  const agent: Caller = {
    tenant_id: tenant.tenantId,
    api_key_id: newId('apiKey'),
    role: 'agent',
    agent_id: tenant.agentId,
  };
  const defaults = async (caller = agent, more: object = {}): Promise<CallDefaultsReply> =>
    (await process.request('kernel.call.defaults', {
      v: 1,
      caller,
      agent_id: tenant.agentId,
      keyed: null,
      ...more,
    })) as CallDefaultsReply;
  const tokensOf = async (caller = agent): Promise<string[]> =>
    (await defaults(caller)).tokens.map(({ capability_token_id }) => capability_token_id);
  const exchange = async (parent_id: string): Promise<{ bound: Caller; token: string }> => {
    const bound: Caller = { ...agent, api_key_id: newId('apiKey') };
    const asked = { v: 1, caller: agent, api_key_id: bound.api_key_id, parent_id, grant: GRANT };
    const made = (await process.request('kernel.credential.exchange', asked)) as { capability_token_id: string };
    return { bound, token: made.capability_token_id };
  };
  return { tenant, agent, defaults, tokensOf, exchange };
}

it('tokens that calls may use now are a choice, newest first, and no others', async () => {
  const { tenant, tokensOf } = await scene();
  const first = await tenant.token();
  await tenant.token({ expires_at: Date.now() - 1 });
  await tenant.token({ not_before: Date.now() + 60_000 });
  const revoked = await tenant.token();
  await process.admin.query('UPDATE kernel.token SET revoked_at = 1 WHERE capability_token_id = $1', [revoked]);
  const second = await tenant.token();
  expect(await tokensOf()).toEqual([second, first]);
});

it('a token that derives from a revoked one is no choice', async () => {
  const { tenant, agent, tokensOf } = await scene();
  const parent_id = await tenant.token();
  const asked = { v: 1, caller: agent, parent_id, agent_id: null, workspace_id: null, grant: GRANT };
  await process.request('kernel.token.attenuate', asked);
  expect(await tokensOf()).toHaveLength(2);
  await process.admin.query('UPDATE kernel.token SET revoked_at = 1 WHERE capability_token_id = $1', [parent_id]);
  expect(await tokensOf()).toEqual([]);
});

it('tokens of exchanged credentials are no choice but for the credential, however many there are', async () => {
  const { tenant, agent, tokensOf, exchange } = await scene();
  const own = await tenant.token();
  const { bound, token } = await exchange(own);
  for (let made = 0; made < 9; made += 1) await exchange(own);
  expect(await tokensOf()).toEqual([own]);
  expect(await tokensOf(bound)).toEqual([token]);
  expect(await tokensOf({ ...agent, role: 'admin', agent_id: null })).toEqual([own]);
});

it('a key of another agent learns nothing of this one', async () => {
  const { tenant, agent, defaults } = await scene();
  await tenant.token();
  const other = { ...agent, agent_id: newId('agent') };
  await expect(defaults(other)).rejects.toSatisfy((error) => error instanceof Fault && error.code === 'not_found');
});

it('the choices are at most six of each kind, and those of another tenant are none', async () => {
  const { tenant, defaults } = await scene();
  for (let made = 0; made < 8; made += 1) await tenant.token();
  const { tokens, workspaces } = await defaults();
  expect([tokens.length, workspaces]).toEqual([6, [tenant.workspaceId]]);
  const other = await scene();
  expect(await other.tokensOf()).toEqual([]);
});
