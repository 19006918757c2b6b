// SPDX-License-Identifier: Apache-2.0
// A session grant, through the public API: the next call like the approved one runs, in containers and with receipts.
// Nothing else does.
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import {
  makeWorld,
  approveShown,
  sharedStack,
  verifiedReceipt,
  type JsonValue,
  type SharedStack,
  type World,
} from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stack: SharedStack;
let world: World;

beforeAll(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, {
    files: { 'b.txt': 'two\n' },
    budgets: { calls: 1_000 },
  });
});

const approve = (held: JsonValue, body: JsonValue = {}, by = world.operator) =>
  approveShown(by, held.approval_id, body as Record<string, unknown>);
const fill = async (dir: string) => await world.call('fs.write', { path: `${dir}/x.txt`, content: 'x' });

/** A directory that a command of a session would delete, and the session grant for that command. */
async function approvedOnce(body: JsonValue = {}) {
  const [dir, session_id] = [`dir-${randomUUID()}`, `ses-${randomUUID()}`];
  const remove = async (over: JsonValue = {}, what = dir) =>
    (await world.call('shell.run', { command: `rm -rf ${what}` }, { session_id, ...over })).body;
  await fill(dir);
  const held = await remove();
  expect(held.state).toBe('held');
  const approved = await approve(held, { scope: 'session', ...body });
  expect([approved.status, approved.body.code]).toEqual([200, undefined]);
  await world.until(held.operation_id as string, ['committed']);
  const tokenId = (await world.operator.get(`/v1/approvals/${held.approval_id as string}`)).body
    .session_token_id as string;
  return { dir, remove, held, tokenId };
}

it('the same command of the session runs again without approval, under a child token in its receipt', async () => {
  const { dir, remove, held, tokenId } = await approvedOnce();
  await fill(dir);
  const again = await world.until((await remove()).operation_id as string, ['committed']);
  expect(again).toMatchObject({ autonomy_mode: 'soft_gate', capability_token_id: tokenId, attempt: 1 });
  expect(await world.file(`${dir}/x.txt`)).toBeNull();
  const { record } = await verifiedReceipt(stack, world, again.operation_id as string, 'decision');
  expect(record).toMatchObject({
    capability_token_id: tokenId,
    approval_refs: [held.approval_id],
    verdict: 'admitted',
  });
  const token = (await world.admin.get(`/v1/capability-tokens/${tokenId}`)).body;
  expect(token).toMatchObject({
    parent_id: world.tokenId,
    grant: { tools: ['shell.run'], budgets: { calls: 32 } },
    used: { calls: 1 },
    session_approval: { args: 'same' },
  });
  expect(
    (await world.admin.get(`/v1/capability-tokens?parent_id=${world.tokenId}`)).body.items.map(
      (one: JsonValue) => one.capability_token_id,
    ),
  ).toContain(tokenId);
});

it('another command, another session and a revoked token need an approval again', async () => {
  const { dir, remove, tokenId } = await approvedOnce();
  await fill(dir);
  expect((await remove({}, `${dir} b.txt`)).state).toBe('held');
  expect((await remove({ session_id: `ses-${randomUUID()}` })).state).toBe('held');
  expect((await world.operator.post(`/v1/capability-tokens/${tokenId}/revoke`)).status).toBe(200);
  expect((await remove()).state).toBe('held');
  expect(await world.file(`${dir}/x.txt`)).toBe('x');
});

it('is valid for as many calls as its approver set', async () => {
  const { dir, remove } = await approvedOnce({ uses: 1, ttl_ms: 60_000 });
  await fill(dir);
  await world.until((await remove()).operation_id as string, ['committed']);
  await fill(dir);
  expect((await remove()).state).toBe('held');
});

it("an agent can't approve its own call, and a duration without a session is an error", async () => {
  await fill('mine');
  const held = (await world.call('shell.run', { command: 'rm -rf mine' }, { session_id: 's' })).body;
  expect((await approve(held, { scope: 'session' }, world.agent)).body.code).toBe('auth.role');
  expect((await approve(held, { uses: 3 })).body).toMatchObject({ code: 'request.malformed', pointer: '/scope' });
  expect((await world.operator.get(`/v1/approvals/${held.approval_id as string}`)).body.state).toBe('pending');
});
