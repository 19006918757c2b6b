// SPDX-License-Identifier: Apache-2.0
import type { AdmitRequest } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openTestApi, type TestApi, type TestTenant } from '../specs/test-api.ts';
import { viewOf } from '../specs/fake-views.ts';

let api: TestApi;
let tenant: TestTenant;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  tenant = await api.newTenant();
  api.kernel.requests.length = 0;
  api.kernel.admits = (call) => viewOf(call, 'no_op');
  tokens = [];
  pages = 1;
  workspaces = [];
  api.kernel.handlers.set('token.list', (_caller, { page }) => {
    const { cursor } = page as { cursor: string | null };
    const at = Number(cursor ?? 0);
    const last = at + 1 >= pages;
    return { items: last ? tokens : [], next_cursor: last ? null : String(at + 1) } as never;
  });
  api.kernel.handlers.set('workspace.list', () => ({ items: workspaces, next_cursor: null }) as never);
});

let tokens: object[];
let pages: number;
let workspaces: object[];

const GRANT = { tools: ['*'], fs: [], net: [], secrets: [], budgets: {}, not_before: 0, expires_at: 9_000_000_000_000 };
const SESSION_APPROVAL = {
  approval_id: newId('approval'),
  operation_id: newId('operation'),
  session_id: 's',
  policy_hash: '0'.repeat(64),
  args: 'any',
  risk_max: 1,
  risk_basis: [],
  reasons: [],
};
const newToken = (more: object = {}): { capability_token_id: string } => {
  const capability_token_id = newId('token');
  const token = {
    v: 1,
    capability_token_id,
    tenant_id: tenant.tenantId,
    agent_id: tenant.agentId,
    parent_id: null,
    workspace_id: null,
    grant: GRANT,
    issuer: 'x',
    created_at: 1,
    revoked_at: null,
    used: {},
    reserved: {},
    left: {},
    chain: [capability_token_id],
    revoked: false,
    ...more,
  };
  tokens.push(token);
  return token;
};
const newWorkspace = (): string => {
  const workspace_id = newId('workspace');
  workspaces.push({
    workspace_id,
    name: 'w',
    head_snapshot_id: `snap_${'0'.repeat(64)}`,
    created_at: 1,
    updated_at: 1,
  });
  return workspace_id;
};
const propose = (more: object = {}, key = tenant.agent) =>
  api.ask('POST', '/v1/tool-calls', { key, body: { tool_id: 'fs.read', args: { path: 'a' }, ...more } });
const proposed = (): AdmitRequest[] =>
  api.kernel.requests.filter(({ verb }) => verb === 'admit').map(({ request }) => request as AdmitRequest);

it('a call that names token and workspace asks the kernel for nothing else', async () => {
  expect((await propose({ capability_token_id: 'cap_x', workspace_id: 'wsp_x' })).status).toBe(200);
  expect(api.kernel.requests.map(({ verb }) => verb)).toEqual(['admit']);
});

it("a call that names neither is proposed with the agent's only usable token, and its workspace", async () => {
  const workspace_id = newId('workspace');
  const { capability_token_id } = newToken({ workspace_id });
  newToken({ revoked: true });
  newToken({ grant: { ...GRANT, expires_at: 1 } });
  newToken({ grant: { ...GRANT, not_before: 8_999_999_999_999 } });
  newToken({ agent_id: newId('agent') });
  // Made by Writ, for what is no call of a client.
  newToken({ spawned_by: newId('operation') });
  newToken({ job: { job_id: newId('job'), tools: ['fs.read'] } });
  newToken({ session_approval: SESSION_APPROVAL });
  expect((await propose()).status).toBe(200);
  expect(proposed()).toMatchObject([{ capability_token_id, workspace_id }]);
});

it('with a token of no workspace, the only one of the tenant is used', async () => {
  newToken();
  const workspace_id = newWorkspace();
  expect((await propose()).status).toBe(200);
  expect(proposed()).toMatchObject([{ workspace_id }]);
});

it('a named workspace goes before that of the token', async () => {
  newToken({ workspace_id: newId('workspace') });
  await propose({ workspace_id: 'wsp_mine' });
  expect(proposed()).toMatchObject([{ workspace_id: 'wsp_mine' }]);
});

it('several tokens are named, and none is chosen', async () => {
  const ids = [newToken(), newToken()].map((token) => token.capability_token_id);
  const { status, json } = await propose();
  expect([status, json['code'], json['pointer']]).toEqual([409, 'conflict', '/capability_token_id']);
  for (const id of ids) expect(json['detail']).toContain(id);
  expect(proposed()).toEqual([]);
});

it('several workspaces are named, and none is chosen', async () => {
  newToken();
  const ids = [newWorkspace(), newWorkspace()];
  const { json } = await propose();
  expect([json['code'], json['pointer']]).toEqual(['conflict', '/workspace_id']);
  for (const id of ids) expect(json['detail']).toContain(id);
  expect(proposed()).toEqual([]);
});

it.each([
  ['no token', 1, 'has no usable capability token'],
  ['more tokens than are looked through', 9, 'too many capability tokens'],
])('an agent with %s is told so', async (_what, count, said) => {
  pages = count;
  const { json } = await propose();
  expect([json['code'], json['detail']]).toEqual(['conflict', expect.stringContaining(said)]);
  expect(proposed()).toEqual([]);
});

it('a second usable token on a later page is found', async () => {
  newToken();
  newToken();
  pages = 3;
  expect((await propose()).json).toMatchObject({ code: 'conflict', detail: expect.stringContaining('several') });
});

it('what is wrong with the call is said first, without a look at its tokens', async () => {
  expect((await propose({ nonsense: 1 })).json).toMatchObject({ code: 'request.malformed', pointer: '/nonsense' });
  expect((await propose({ agent_id: newId('agent') })).json).toMatchObject({ code: 'not_found' });
  expect((await propose({}, tenant.admin)).json).toMatchObject({ code: 'request.malformed', pointer: '/agent_id' });
  expect(api.kernel.requests).toEqual([]);
});
