// SPDX-License-Identifier: Apache-2.0
// Held calls whose effect is shown before the decision: run in real containers, approved through the public API.
// tests/e2e/src/held.spec.ts ends processes between preview and approval.
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import { applyPatch } from 'diff';
import {
  eventually,
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
    files: { 'keep.txt': 'kept\n' },
    budgets: { calls: 1_000, cpu_ms: 10_000_000 },
  });
});

const show = async (held: JsonValue, by = world.operator): Promise<JsonValue> =>
  (await by.get(`/v1/approvals/${held.approval_id as string}`)).body;
const diffOf = async (held: JsonValue): Promise<JsonValue> =>
  (await world.operator.get(`/v1/approvals/${held.approval_id as string}/diff`)).body;
const approve = (held: JsonValue, body: JsonValue = {}) =>
  world.operator.post(`/v1/approvals/${held.approval_id as string}/approve`, body);
const previewed = (held: JsonValue, round = 1): Promise<JsonValue> =>
  eventually(
    `the preview of ${held.operation_id as string}`,
    async () => {
      const view = await show(held);
      return view.preview.round === round && ['ready', 'failed'].includes(view.preview.state as string) ? view : null;
    },
    120_000,
  );
/** A command in a new directory that needs an approval: it deletes a tree, and writes files. */
async function hold(command: string, files: Record<string, string>): Promise<JsonValue> {
  const dir = `dir-${randomUUID()}`;
  await world.admin.must(`/v1/workspaces/${world.workspaceId}/files`, {
    files: Object.entries({ 'old/gone.txt': 'gone\n', ...files }).map(([path, content]) => ({
      path: `${dir}/${path}`,
      content,
    })),
  });
  const { body } = await world.call('shell.run', { command: `${command}; rm -rf old`, cwd: dir });
  expect(body.state).toBe('held');
  return { ...body, dir };
}

it('the shown diff is committed byte by byte, without a second run', async () => {
  const before = 'one\ntwo\nthree\n';
  const held = await hold('sed -i s/two/2/ a.txt; echo $RANDOM$RANDOM > random.txt; echo told', { 'a.txt': before });
  const view = await previewed(held);
  expect(view).toMatchObject({
    of: 'effect',
    preview: { state: 'ready', exit_code: 0, output: { output: 'told\n' }, changes_total: 4, would_ask_for: [] },
  });
  expect(await world.file(`${held.dir as string}/a.txt`)).toBe(before);
  const diff = await diffOf(held);
  expect(diff.effect_digest).toBe(view.binding.effect_digest);
  const fileOf = (name: string): JsonValue =>
    diff.files.find(({ path }: JsonValue) => path === `${held.dir as string}/${name}`);
  expect(fileOf('a.txt')).toMatchObject({ change: 'modified', added_lines: 1, removed_lines: 1 });
  expect(fileOf('old/gone.txt')).toMatchObject({ change: 'deleted', removed_lines: 1 });
  const approved = await approve(held, { effect_digest: diff.effect_digest });
  expect([approved.status, approved.body.state, approved.body.attempt]).toEqual([200, 'committed', 0]);
  expect(await world.file(`${held.dir as string}/a.txt`)).toBe(applyPatch(before, fileOf('a.txt').text as string));
  // Random at its run: a second run would give another value.
  expect(await world.file(`${held.dir as string}/random.txt`)).toBe(
    applyPatch('', fileOf('random.txt').text as string),
  );
  expect(await world.file(`${held.dir as string}/old/gone.txt`)).toBeNull();
  expect((await verifiedReceipt(stack, world, held.operation_id as string, 'outcome')).record).toMatchObject({
    tx_outcome: 'committed',
    effect_digest: diff.effect_digest,
    approval_refs: [held.approval_id],
  });
});

it('a head that moved in other files keeps both changes; in the same files, the preview is repeated', async () => {
  const [apart, same] = [
    await hold('echo mine > a.txt', { 'a.txt': 'a\n' }),
    await hold('echo mine >> a.txt', { 'a.txt': 'a\n' }),
  ];
  await Promise.all([previewed(apart), previewed(same)]);
  await world.call('fs.write', { path: `${apart.dir as string}/other.txt`, content: 'other' });
  await world.call('fs.write', { path: `${same.dir as string}/a.txt`, content: 'theirs\n' });
  expect((await approve(apart)).body).toMatchObject({
    code: 'approval.effect_unseen',
    detail: expect.stringContaining('`effect_digest`') as unknown,
  });
  expect((await approveShown(world.operator, apart.approval_id)).body.state).toBe('committed');
  expect([
    await world.file(`${apart.dir as string}/a.txt`),
    await world.file(`${apart.dir as string}/other.txt`),
  ]).toEqual(['mine\n', 'other']);
  const stale = await approveShown(world.operator, same.approval_id);
  expect([stale.status, stale.body.code]).toEqual([409, 'approval.previewed_anew']);
  const again = await previewed(same, 2);
  expect((await approve(same)).body.code).toBe('approval.effect_unseen');
  expect((await approve(same, { effect_digest: again.binding.effect_digest })).body.state).toBe('committed');
  expect(await world.file(`${same.dir as string}/a.txt`)).toBe('theirs\nmine\n');
});

it('a command that fails in its preview shows its output, and its approval is for the action', async () => {
  const held = await hold('trap "exit 3" EXIT; echo half', { 'a.txt': 'a\n' });
  const view = await previewed(held);
  expect(view).toMatchObject({
    of: 'action',
    binding: { effect_digest: null },
    preview: {
      state: 'failed',
      exit_code: 3,
      why: expect.stringContaining('exit status 3'),
      output: { output: 'half\n' },
    },
  });
  expect((await approve(held)).status).toBe(200);
  expect(await world.until(held.operation_id as string, ['rolled_back'])).toMatchObject({
    attempt: 1,
    result: { error: { code: 'command.failed' } },
  });
});

it('a preview has no network, and only approvers see its effect', async () => {
  const held = await hold('cat /proc/net/dev | grep -c : > nets.txt', {});
  const view = await previewed(held);
  expect(view.of).toBe('effect');
  expect(
    (await diffOf(held)).files.find(({ path }: JsonValue) => (path as string).endsWith('nets.txt')).text,
  ).toContain('+1\n');
  expect((await show(held, world.auditor)).preview).toMatchObject({ state: 'ready', changes: null, output: null });
  const statuses = [world.auditor, world.agent].map(
    async (by) => (await by.get(`/v1/approvals/${held.approval_id as string}/diff`)).status,
  );
  expect(await Promise.all(statuses)).toEqual([403, 403]);
});
