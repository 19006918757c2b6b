// SPDX-License-Identifier: Apache-2.0
// Edits of several files, through the public API: one call with one decision, whose files change together or not at
// all.
import { vi } from 'vitest';
import {
  eventually,
  makeWorld,
  sharedStack,
  verifiedReceipt,
  type JsonValue,
  type SharedStack,
  type World,
} from '@writ/stack';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let stack: SharedStack;
let world: World;

beforeAll(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, {
    fs: [
      { path: '', read: true, write: false },
      { path: 'src', read: true, write: true },
    ],
  });
});

const edit = (find: string, replace: string, more: JsonValue = {}): JsonValue => ({ find, replace, ...more });
const stand = async (...paths: string[]): Promise<JsonValue> =>
  await Promise.all(paths.map((path) => world.file(path)));

it('a model in the ToolsXML dialect edits several files by one call, with one receipt', async () => {
  await world.admin.must(`/v1/workspaces/${world.workspaceId}/files`, {
    files: [
      { path: 'src/a.ts', content: 'const a = 1;\n' },
      { path: 'src/b.ts', content: 'a a\n' },
    ],
  });
  const output =
    '<tools><edit><file src="src/a.ts"><find>const a</find><replace>let a</replace><find>1</find><replace>2</replace></file><file src="src/b.ts"><find count="all">a</find><replace>b</replace></file></edit></tools>';
  const { status, body } = await world.agent.post('/v1/turns?wait=50000', {
    dialect: 'tools-xml',
    output,
    turn_id: 'turn-1',
    session_id: 'ses-edits',
    capability_token_id: world.tokenId,
    workspace_id: world.workspaceId,
  });
  expect({ status, calls: body.calls }).toMatchObject({
    status: 200,
    calls: [{ tool_id: 'fs.edit_files', standing: 'completed' }],
  });
  expect(body.messages[0].content).toContain('2 replaced in src/a.ts\n2 replaced in src/b.ts');
  expect(await stand('src/a.ts', 'src/b.ts')).toEqual(['let a = 2;\n', 'b b\n']);
  const { record } = await verifiedReceipt(stack, world, body.calls[0].operation_id as string, 'decision');
  expect(record).toMatchObject({ verdict: 'admitted', tool_id: 'fs.edit_files' });
});

it('where the edit of one file fails, none changes, and the answer names it', async () => {
  const before = await stand('src/a.ts', 'src/b.ts');
  const { body } = await world.call('fs.edit_files', {
    files: [
      { path: 'src/a.ts', edits: [edit('let', 'var')] },
      { path: 'src/b.ts', edits: [edit('b', 'c')] },
    ],
  });
  expect(body).toMatchObject({
    tx_outcome: 'rolled_back',
    error: { code: 'edit.ambiguous', message: expect.stringMatching(/^`src\/b\.ts`: .* 2 times, not 1/) as unknown },
  });
  expect(await stand('src/a.ts', 'src/b.ts')).toEqual(before);
});

it('a path outside the token refuses the whole call before anything is read', async () => {
  const { body } = await world.call('fs.edit_files', {
    files: [
      { path: 'src/a.ts', edits: [edit('let', 'var')] },
      { path: 'docs/b.txt', edits: [edit('two', 'x')] },
    ],
  });
  expect(body).toMatchObject({ error: { code: 'token.scope' } });
  expect((await verifiedReceipt(stack, world, body.operation_id as string, 'decision')).record).toMatchObject({
    verdict: 'refused',
  });
});

it('an approver sees all files before the approval, and exactly those are changed', async () => {
  const files = [
    { path: 'src/a.ts', edits: [edit('let', 'var')] },
    { path: 'src/b.ts', edits: [edit('b', 'c', { count: 'all' })] },
  ];
  const { body: held } = await world.call('fs.edit_files', { files }, { max_autonomy: 'soft_gate' });
  expect(held).toMatchObject({ state: 'held' });
  const approval = `/v1/approvals/${held.approval_id as string}`;
  await eventually('its preview', async () => (await world.operator.get(approval)).body.preview.state === 'ready');
  const shown = (await world.operator.get(`${approval}/diff`)).body;
  expect(shown.files.map(({ path, change }: JsonValue) => `${change as string} ${path as string}`)).toEqual([
    'modified src/a.ts',
    'modified src/b.ts',
  ]);
  expect(await world.operator.must(`${approval}/approve`, { effect_digest: shown.effect_digest })).toMatchObject({
    state: 'committed',
  });
  expect(await stand('src/a.ts', 'src/b.ts')).toEqual(['var a = 2;\n', 'c c\n']);
});
