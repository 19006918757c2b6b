// SPDX-License-Identifier: Apache-2.0
import type { AdmitRequest } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openTestApi, type TestApi, type TestTenant } from '../specs/test-api.ts';
import { viewOf } from '../specs/fake-views.ts';

let api: TestApi;
let tenant: TestTenant;
let found: { claim: object | null; tokens: object[]; workspaces: string[] };
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  tenant = await api.newTenant();
  api.kernel.requests.length = 0;
  api.kernel.admits = (call) => viewOf(call, 'no_op');
  found = { claim: null, tokens: [], workspaces: [] };
  api.kernel.handlers.set('call.defaults', () => found as never);
});

const newToken = (workspace_id: string | null = null): { capability_token_id: string } => {
  const token = { capability_token_id: newId('token'), workspace_id };
  found.tokens.push(token);
  return token;
};
const newWorkspace = (): string => {
  const workspace_id = newId('workspace');
  found.workspaces.push(workspace_id);
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
  const { capability_token_id } = newToken(workspace_id);
  expect((await propose()).status).toBe(200);
  expect(proposed()).toMatchObject([{ capability_token_id, workspace_id }]);
  expect(api.kernel.requests[0]).toMatchObject({
    verb: 'call.defaults',
    request: { agent_id: tenant.agentId, keyed: null },
  });
});

it('a call with the key of an earlier one gets what that one had, whatever the agent has meanwhile', async () => {
  found.claim = { capability_token_id: newId('token'), workspace_id: newId('workspace') };
  newToken();
  newToken();
  expect((await propose({ idempotency_key: 'k' })).status).toBe(200);
  expect(proposed()).toMatchObject([{ ...found.claim, idempotency_key: 'k' }]);
  const keyed = { tool_id: 'fs.read', idempotency_key: 'k' };
  expect(api.kernel.requests[0]).toMatchObject({ verb: 'call.defaults', request: { keyed } });
});

it('what a call with such a key names goes before what the earlier one had', async () => {
  found.claim = { capability_token_id: newId('token'), workspace_id: newId('workspace') };
  await propose({ idempotency_key: 'k', workspace_id: 'wsp_mine' });
  expect(proposed()).toMatchObject([{ ...found.claim, workspace_id: 'wsp_mine' }]);
});

it('with a token of no workspace, the only one of the tenant is used', async () => {
  newToken();
  const workspace_id = newWorkspace();
  expect((await propose()).status).toBe(200);
  expect(proposed()).toMatchObject([{ workspace_id }]);
});

it('a named workspace goes before that of the token', async () => {
  newToken(newId('workspace'));
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

it('an agent with no token is told so', async () => {
  const { json } = await propose();
  expect([json['code'], json['detail']]).toEqual([
    'conflict',
    expect.stringContaining('has no usable capability token'),
  ]);
  expect(proposed()).toEqual([]);
});

it('what is wrong with the call is said first, without a look at its tokens', async () => {
  expect((await propose({ nonsense: 1 })).json).toMatchObject({ code: 'request.malformed', pointer: '/nonsense' });
  expect((await propose({ agent_id: newId('agent') })).json).toMatchObject({ code: 'not_found' });
  expect((await propose({}, tenant.admin)).json).toMatchObject({ code: 'request.malformed', pointer: '/agent_id' });
  expect(api.kernel.requests).toEqual([]);
});
