// SPDX-License-Identifier: Apache-2.0
// A kernel that dies during the revocation of an API key: nothing of the key commits, and a repeated request completes
// the revocation.
import { vi } from 'vitest';
import {
  eventually,
  expectCleanLog,
  makeWorld,
  Observer,
  approveShown,
  startStack,
  type Stack,
  type World,
} from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stack: Stack;
let world: World;
let observer: Observer;
beforeAll(async () => {
  stack = await startStack({ env: { kernel: { WRIT_SWEEP_MS: '250' } } });
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'old/a.txt': 'one\n' } });
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
});

it("a kernel dies after it marked a revoked key's calls: its successor ends them, and approvals fail", async () => {
  const made = await world.admin.must('/v1/api-keys', { name: 'leaked', role: 'agent', agent_id: world.agentId });
  const id = made.api_key_id as string;
  const held = (
    await world.admin
      .as(made.api_key as string)
      .post('/v1/tool-calls', {
        tool_id: 'shell.run',
        args: { command: 'rm -rf old' },
        capability_token_id: world.tokenId,
        workspace_id: world.workspaceId,
        idempotency_key: 'rm-old',
      })
  ).body;
  expect(held.state).toBe('held');
  // Marks are committed; the end of the held call updates its approval, and waits here.
  const letGo = await observer.hold('LOCK TABLE kernel.approval IN EXCLUSIVE MODE');
  const revoking = world.admin.request('DELETE', `/v1/api-keys/${id}`).catch(() => null);
  await eventually(
    'the calls are marked',
    async () => (await observer.rows('SELECT 1 FROM kernel.operation WHERE key_revoked')).length === 1,
  );
  await stack.services.kernel.kill();
  await letGo();
  // The answer was lost or is a fault. The key may still be valid at the API, while its calls are not.
  await revoking;
  await stack.services.kernel.start();
  const ended = await eventually(
    'the end of the held call',
    async () => {
      const { body } = await world.admin.get(`/v1/operations/${held.operation_id as string}`);
      return body.state === 'refused' ? body : null;
    },
    60_000,
  );
  expect(ended.result).toMatchObject({ error: { code: 'key.revoked' } });
  expect((await approveShown(world.operator, held.approval_id)).body.code).toBe('conflict');
  expect(await world.file('old/a.txt')).toBe('one\n');
  const again = await eventually(
    'the revocation',
    async () => {
      const answer = await world.admin.request('DELETE', `/v1/api-keys/${id}`).catch(() => null);
      return answer?.status === 200 ? answer : null;
    },
    60_000,
  );
  expect(again.body).toMatchObject({ api_key_id: id, revoked_at: expect.any(Number) });
  await observer.untilLogged();
  expect(
    await observer.rows(
      `SELECT 1 FROM ledger.leaf WHERE kind = 'change' AND convert_from(payload, 'utf8') LIKE '%api_key_revoked%'`,
    ),
  ).toHaveLength(1);
  expectCleanLog(stack);
});
