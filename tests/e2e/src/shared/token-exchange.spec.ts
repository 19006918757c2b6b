// SPDX-License-Identifier: Apache-2.0
import { makeWorld, sharedStack, type SharedStack, type World } from '@writ/stack';
import { vi } from 'vitest';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stack: SharedStack;
let world: World;
beforeAll(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n', 'src/b.txt': 'two\n' } });
});

/** Exchanges the agent's key for a part of its token. */
async function exchange(subject: string, more: object = {}) {
  const details = [
    {
      type: 'writ_grant',
      capability_token_id: world.tokenId,
      fs: [{ path: 'src', read: true, write: false }],
      ...more,
    },
  ];
  const response = await fetch(`${stack.url}/v1/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: subject,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      scope: 'fs.read',
      authorization_details: JSON.stringify(details),
    }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

const call = (key: string, token: string, path: string) =>
  world.admin
    .as(key)
    .request('POST', '/v1/tool-calls?wait=10000', {
      tool_id: 'fs.read',
      args: { path },
      agent_id: world.agentId,
      capability_token_id: token,
      workspace_id: world.workspaceId,
    });

it('an exchanged credential calls under its own token, within its part of the grant, and under no other', async () => {
  const { status, body } = await exchange(world.agent.key ?? '');
  expect({ status, body }).toMatchObject({ status: 200, body: { token_type: 'Bearer', scope: 'fs.read' } });
  const [key, token] = [body['access_token'] ?? '', body['capability_token_id'] ?? ''];
  expect((await call(key, token, 'src/b.txt')).body).toMatchObject({ status: 'ok', result: { content: 'two\n' } });
  expect((await call(key, token, 'a.txt')).body).toMatchObject({ status: 'error' });
  const elsewhere = await call(key, world.tokenId, 'src/b.txt');
  expect(elsewhere.body).toMatchObject({ code: 'token.agent' });
  const own = (await call(key, token, 'src/b.txt')).body as { operation_id: string };
  const others = (await call(world.agent.key ?? '', world.tokenId, 'a.txt')).body as { operation_id: string };
  const bound = world.admin.as(key);
  expect((await bound.get(`/v1/operations/${own.operation_id}`)).status).toBe(200);
  expect((await bound.get(`/v1/operations/${others.operation_id}`)).status).toBe(404);
  expect((await bound.get('/v1/operations')).status).toBe(403);
  expect((await exchange(key)).body).toMatchObject({ error: 'invalid_request' });
});

it('calls that name no token get their own: the agent that of its key, the credential the one it is bound to', async () => {
  const { body } = await exchange(world.agent.key ?? '');
  await exchange(world.agent.key ?? '');
  const plain = (key: string, path: string, headers: Record<string, string> = {}) =>
    world.admin.as(key).request('POST', '/v1/tool-calls?wait=10000', { tool_id: 'fs.read', args: { path } }, headers);
  const keyed = { 'idempotency-key': 'before-the-second-token' };
  const first = await plain(world.agent.key ?? '', 'a.txt', keyed);
  expect(first.body).toMatchObject({ status: 'ok', result: { content: 'one\n' } });
  const bound = await plain(body['access_token'] ?? '', 'a.txt');
  expect(bound.body).toMatchObject({ status: 'error' });
  expect((await plain(body['access_token'] ?? '', 'src/b.txt')).body).toMatchObject({ status: 'ok' });
  // With a further token of the agent a call has to name one, but not where it repeats one that is done.
  const grant = {
    tools: ['fs.read'],
    fs: [],
    net: [],
    secrets: [],
    budgets: {},
    not_before: 0,
    expires_at: Date.now() + 60_000,
  };
  await world.admin.must('/v1/capability-tokens', { agent_id: world.agentId, workspace_id: world.workspaceId, grant });
  expect((await plain(world.agent.key ?? '', 'a.txt')).body).toMatchObject({ code: 'conflict' });
  expect((await plain(world.agent.key ?? '', 'a.txt', keyed)).body).toEqual(first.body);
});

it('more than the token grants is not exchanged', async () => {
  const { status, body } = await exchange(world.agent.key ?? '', { secrets: ['NOT_GRANTED'] });
  expect({ status, body }).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
});

it('an exchanged credential ends with the key that it was exchanged for', async () => {
  const made = await world.admin.must('/v1/api-keys', { name: 'short', role: 'agent', agent_id: world.agentId });
  const { body } = await exchange(made['api_key'] as string);
  const bound = world.admin.as(body['access_token'] ?? '');
  expect((await bound.get('/v1/whoami')).body).toMatchObject({ kind: 'exchanged_token', role: 'agent' });
  await world.admin.request('DELETE', `/v1/api-keys/${made['api_key_id'] as string}`);
  expect((await bound.get('/v1/whoami')).status).toBe(401);
});
