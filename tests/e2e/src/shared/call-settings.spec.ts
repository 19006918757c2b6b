// SPDX-License-Identifier: Apache-2.0
// Paths that the tenant keeps from all calls, tried by every way in and out: arguments, links, and real commands.
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import { makeWorld, sharedStack, verifiedReceipt, type SharedStack, type World } from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const KEY = 'a key of somebody\n';
const FILES = { 'a.txt': 'one\n', 'home/.ssh/id': KEY, 'etc/shadow': 'root\n', 'rootfs/etc/shadow': 'root\n' };
let stack: SharedStack;
let world: World;
beforeAll(async () => {
  stack = await sharedStack();
});
beforeEach(async () => {
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: FILES });
});

const run = async (command: string) =>
  (await world.call('shell.run', { command }, { idempotency_key: randomUUID() })).body;
const read = async (path: string) => (await world.call('fs.read', { path })).body;
const set = (change: object) => world.admin.request('PATCH', '/v1/call-settings', change);
const contentOf = async (path: string) =>
  (await world.admin.get(`/v1/workspaces/${world.workspaceId}/files/${path}`)).text;

it('a denied path is refused with a record, though the token grants the whole workspace', async () => {
  for (const path of ['home/.ssh/id', 'etc/shadow']) {
    const body = await read(path);
    expect(body).toMatchObject({ status: 'error', error: { code: 'path.denied' } });
    const { record } = await verifiedReceipt(stack, world, body.operation_id as string);
    expect(record).toMatchObject({ verdict: 'refused', fault_code: 'path.denied' });
  }
  expect(await read('rootfs/etc/shadow')).toMatchObject({ status: 'ok' });
});

it('a link that a command made leads nowhere new', async () => {
  expect(await run('ln -s home/.ssh/id link.txt')).toMatchObject({ tx_outcome: 'committed' });
  expect(await read('link.txt')).toMatchObject({ error: { code: 'path.denied' } });
  expect((await run('cat link.txt || true')).result.output).not.toContain(KEY.trim());
});

it('a command receives nothing of a denied path', async () => {
  const { result } = await run('find . | sort; cat home/.ssh/id etc/shadow; true');
  expect(result.output).not.toContain('.ssh/id\n');
  expect(result.output).not.toContain(KEY.trim());
});

it.each([
  ['writes there', 'mkdir -p home/.ssh && echo mine > home/.ssh/authorized_keys'],
  ['makes such a directory elsewhere', 'mkdir -p other/.gnupg && touch other/.gnupg/x'],
  ['renames the directory above', 'mv home home2'],
  ['removes the directory above', 'rm -r home || rmdir home'],
  ['puts a link in its place', 'mkdir -p home && ln -s /tmp home/.ssh'],
])('a command that %s is rolled back whole', async (_what, command) => {
  const body = await run(`echo changed > a.txt; ${command}`);
  expect(['rolled_back', 'held']).toContain(body.tx_outcome ?? body.state);
  expect(await contentOf('a.txt')).toBe('one\n');
  expect(await contentOf('home/.ssh/id')).toBe(KEY);
});

it('an administrator lifts a denial, and the next call is decided without it', async () => {
  expect(await set({ denied_paths: [] })).toMatchObject({ status: 200, body: { denied_paths: [] } });
  expect(await read('home/.ssh/id')).toMatchObject({ status: 'ok', result: { content: KEY } });
  await set({ allowed_paths: ['rootfs'] });
  expect(await read('a.txt')).toMatchObject({ error: { code: 'path.denied' } });
  expect((await run('ls')).result.output).toBe('rootfs\n');
});

it('the settings are read by operators and auditors, and set by administrators alone', async () => {
  for (const by of [world.operator, world.auditor])
    expect((await by.get('/v1/call-settings')).body).toMatchObject({ allowed_paths: [''], output_bytes: 200_000 });
  for (const by of [world.operator, world.auditor, world.agent])
    expect((await by.request('PATCH', '/v1/call-settings', { denied_paths: [] })).status).toBe(403);
});

it('the output of a command is cut where the settings say', async () => {
  const print = 'head -c 300000 /dev/zero | tr "\\0" x';
  expect((await run(print)).result).toMatchObject({ truncated_bytes: 100_000 });
  await set({ output_bytes: 1_048_576 });
  const { result } = await run(print);
  expect([result.truncated_bytes, (result.output as string).length]).toEqual([0, 300_000]);
  await set({ output_bytes: 1_024 });
  expect((await run(print)).result).toMatchObject({ truncated_bytes: 298_976 });
});
