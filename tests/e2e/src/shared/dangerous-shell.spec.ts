// SPDX-License-Identifier: Apache-2.0
// Raw commands through the public API: always held, whatever a policy decides, previewed before the approval, run in
// real containers under a profile, and committed completely or not at all.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import {
  eventually,
  expectCleanLog,
  makeWorld,
  Observer,
  approveShown,
  sharedStack,
  verifiedReceipt,
  type JsonValue,
  type SharedStack,
  type World,
} from '@writ/stack';
import { repositoryRoot } from '@writ/testing';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const HOOK = '#!/bin/sh\ntouch hook-ran\n';
const FILTER = '[core]\n\trepositoryformatversion = 0\n[filter "x"]\n\tclean = touch filter-ran; cat\n';
const ENDED = ['committed', 'rolled_back', 'no_op', 'refused', 'held'];
const EVERYTHING = {
  v: 1,
  name: 'everything',
  cedar: '@id("all") @reason("all is permitted") permit (principal, action, resource);',
  thresholds: { general: { soft_gate: null, escalated: null, no_go: null } },
};

let stack: SharedStack;
let world: World;
let observer: Observer;
let token: string;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'writ-profiles-'));
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  observer = new Observer(stack);
  for (const args of [
    [
      'ops',
      '--shell',
      'Bash',
      '--shell',
      'Git',
      '--shell',
      'PowerShell',
      '--shell',
      'CommandPrompt',
      '--env',
      'STAGE=test',
      '--env',
      'GIT_AUTHOR_NAME=Ada',
    ],
    ['bash-only', '--shell', 'Bash', '--workspace', world.workspaceId],
    ['short', '--shell', 'Bash', '--wall-ms', '1000'],
  ]) {
    expect(writ('create', ...args)).toMatchObject({ status: 0, err: '' });
  }
  token = await tokenFor(['ops', 'bash-only', 'short', 'gone']);
});
afterAll(async () => {
  await observer?.close();
  rmSync(folder, { recursive: true, force: true });
});

function writ(...args: string[]): { status: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(repositoryRoot(), 'apps', 'cli', 'bin', 'writ.mjs'), 'profile', ...args],
    {
      encoding: 'utf8',
      cwd: folder,
      env: { PATH: process.env['PATH'], WRIT_URL: stack.url, WRIT_API_KEY: String(world.admin.key) },
    },
  );
  return { status, out: stdout, err: stderr };
}
const tokenFor = async (profiles: string[] | undefined): Promise<string> =>
  (
    await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: {
        tools: ['shell.dangerous', 'shell.run', 'fs.*'],
        fs: [{ path: '', read: true, write: true }],
        net: [],
        secrets: [],
        ...(profiles === undefined ? {} : { profiles }),
        budgets: {},
        not_before: 0,
        expires_at: Date.now() + 3_600_000,
      },
    })
  ).capability_token_id as string;
const propose = async (
  shell: string,
  command: string,
  over: Record<string, unknown> = {},
  profile = 'ops',
): Promise<JsonValue> =>
  (await world.call('shell.dangerous', { shell, command, profile }, { capability_token_id: token, ...over }, 50_000))
    .body;
const previewed = (held: JsonValue): Promise<JsonValue> =>
  eventually(
    `the preview of ${held.operation_id as string}`,
    async () => {
      const { body } = await world.operator.get(`/v1/approvals/${held.approval_id as string}`);
      return ['ready', 'failed', 'stale'].includes(body.preview?.state as string) ? body : null;
    },
    120_000,
  );
/** Holds, previews and approves the call as previewed; returns its end. */
async function approved(shell: string, command: string, profile = 'ops'): Promise<JsonValue> {
  const held = await propose(shell, command, {}, profile);
  expect(held).toMatchObject({ state: 'held' });
  await previewed(held);
  const { status, body } = await approveShown(world.admin, held.approval_id);
  expect({ status, body }).toMatchObject({ status: 200 });
  return await world.until(held.operation_id as string, ENDED.slice(0, -1));
}
const activate = (policy: JsonValue) => world.admin.must('/v1/policies/activate', policy);

it('is held, previewed, approved, and commits exactly the previewed effect', async () => {
  const held = await propose('Bash', 'echo "$STAGE" > made.txt; echo two >> a.txt; echo told');
  expect(held).toMatchObject({ state: 'held' });
  expect(held.reasons.map(({ code }: JsonValue) => code)).toEqual(
    expect.arrayContaining(['admin.risky', 'profile.named']),
  );
  expect(await previewed(held)).toMatchObject({
    preview: { state: 'ready', output: { output: 'told\n' }, changes_total: 2 },
  });
  expect(await world.file('made.txt')).toBeNull();
  expect((await approveShown(world.operator, held.approval_id)).status).toBe(403);
  expect((await approveShown(world.admin, held.approval_id)).status).toBe(200);
  expect(await world.until(held.operation_id as string, ENDED.slice(0, -1))).toMatchObject({ state: 'committed' });
  expect([await world.file('made.txt'), await world.file('a.txt')]).toEqual(['test\n', 'one\ntwo\n']);
  expect((await verifiedReceipt(stack, world, held.operation_id as string, 'outcome')).record).toMatchObject({
    tool_id: 'shell.dangerous',
    tx_outcome: 'committed',
    approval_refs: [held.approval_id],
  });
});

it('commits nothing when it is denied, fails, or exceeds its time limit', async () => {
  const held = await propose('Bash', 'echo x > denied.txt');
  expect((await world.admin.post(`/v1/approvals/${held.approval_id as string}/deny`, { comment: 'no' })).status).toBe(
    200,
  );
  expect(await world.until(held.operation_id as string, ['refused'])).toMatchObject({ state: 'refused' });
  expect(await approved('Bash', 'echo x > failed.txt; exit 3')).toMatchObject({ state: 'rolled_back' });
  expect(await approved('Bash', 'echo x > slow.txt; sleep 30', 'short')).toMatchObject({ state: 'rolled_back' });
  for (const path of ['denied.txt', 'failed.txt', 'slow.txt']) expect(await world.file(path)).toBeNull();
});

it('is refused where the risk table refuses a command, and no approval lifts that', async () => {
  for (const [shell, command] of [
    ['Bash', 'rm -rf /'],
    ['Bash', 'sudo reboot'],
    ['PowerShell', 'rm -rf /workspace'],
  ] as const)
    expect(await propose(shell, command)).toMatchObject({ status: 'error', error: { code: 'policy.denied' } });
});

it('runs git as an argument list: no shell, no hook, no filter, no alias', async () => {
  expect(await approved('Git', 'init')).toMatchObject({ state: 'committed' });
  await world.admin.must(`/v1/workspaces/${world.workspaceId}/files`, {
    files: [
      { path: '.git/hooks/pre-commit', content: HOOK, mode: '755' },
      { path: '.git/hooks/post-commit', content: HOOK, mode: '755' },
    ],
  });
  expect(await approved('Git', 'add a.txt')).toMatchObject({ state: 'committed' });
  expect(await approved('Git', "commit -m '$(touch word-ran); `id`'")).toMatchObject({ state: 'committed' });
  const log = await approved('Git', 'log "--format=%an %s"');
  expect(log).toMatchObject({ state: 'no_op', result: { result: { output: 'Ada $(touch word-ran); `id`\n' } } });
  for (const command of ['log; id', 'status && id', '-c alias.x=!id x', 'x', 'rebase -x id HEAD'])
    expect(await propose('Git', command)).toMatchObject({ status: 'error', error: { code: 'args.invalid' } });
  await world.admin.must(`/v1/workspaces/${world.workspaceId}/files`, {
    files: [
      { path: '.git/config', content: FILTER },
      { path: '.gitattributes', content: '* filter=x\n' },
    ],
  });
  const led = await approved('Git', 'add .gitattributes');
  expect([led.state, led.result.error.code, led.result.error.message]).toEqual([
    'rolled_back',
    'shell.unavailable',
    expect.stringContaining('filter.clean'),
  ]);
  for (const path of ['hook-ran', 'word-ran', 'filter-ran']) expect(await world.file(path)).toBeNull();
});

it('PowerShell without an installation, and CommandPrompt anywhere, fail as unavailable', async () => {
  expect(await propose('CommandPrompt', 'dir')).toMatchObject({
    status: 'error',
    error: { code: 'shell.unavailable', message: expect.stringContaining('Windows') },
  });
  const { state, result } = await approved('PowerShell', 'Get-ChildItem');
  expect([state, result.error.code, result.error.message]).toEqual([
    'rolled_back',
    'shell.unavailable',
    expect.stringContaining('no `pwsh`'),
  ]);
});

it('is refused under a profile that is missing, not in its token, or that forbids it', async () => {
  expect(await propose('Bash', 'ls', {}, 'gone')).toMatchObject({
    status: 'error',
    error: { code: 'profile.unknown' },
  });
  expect(await propose('Git', 'status', {}, 'bash-only')).toMatchObject({
    status: 'error',
    error: { code: 'token.scope' },
  });
  for (const capability_token_id of [await tokenFor(undefined), await tokenFor(['short'])])
    expect(await propose('Bash', 'ls', { capability_token_id })).toMatchObject({
      status: 'error',
      error: { code: 'token.scope', message: expect.stringContaining('does not name') },
    });
});

it('is in a child token only where the parent has the profile and the child names it', async () => {
  const grant = {
    tools: ['shell.dangerous'],
    fs: [],
    net: [],
    secrets: [],
    budgets: {},
    not_before: Date.now(),
    expires_at: Date.now() + 60_000,
  };
  const child = async (profiles: object) =>
    await world.admin.post(`/v1/capability-tokens/${await tokenFor(['short'])}/attenuate`, {
      grant: { ...grant, ...profiles },
    });
  expect((await child({ profiles: ['ops'] })).body).toMatchObject({ code: 'token.not_narrower' });
  expect((await child({ profiles: ['short'] })).body.grant.profiles).toEqual(['short']);
  expect((await child({})).body.grant.profiles ?? []).toEqual([]);
});

it('is held by an observing and a permissive policy, scheduled too, and refused in a gateway session', async () => {
  await activate({ policy: 'observe' });
  expect(await propose('Bash', 'ls')).toMatchObject({ state: 'held' });
  expect(await propose('Bash', 'ls', { session_mode: 'scheduled' })).toMatchObject({
    status: 'error',
    error: { code: 'policy.denied' },
  });
  const { policy_hash } = (await world.admin.must('/v1/policies', { document: EVERYTHING })).policy;
  await activate({ policy: policy_hash });
  for (const session_mode of ['interactive', 'scheduled'])
    expect(await propose('Bash', 'ls', { session_mode })).toMatchObject({ state: 'held' });
  expect(await propose('Bash', 'ls', { session_mode: 'gateway' })).toMatchObject({
    status: 'error',
    error: { code: 'policy.denied' },
  });
  const scheduled = await propose('Bash', 'echo scheduled > scheduled.txt', { session_mode: 'scheduled' });
  await previewed(scheduled);
  expect((await approveShown(world.operator, scheduled.approval_id)).status).toBe(200);
  expect(await world.until(scheduled.operation_id as string, ENDED.slice(0, -1))).toMatchObject({ state: 'committed' });
  await activate({ policy: 'default' });
});

it('is in the prompt of a model whose token has a profile, and can be called from its dialect', async () => {
  const prompt = async (id: string): Promise<string> =>
    (await world.agent.get(`/v1/prompts?dialect=blocks&capability_token_id=${id}`)).body.system as string;
  expect(await prompt(token)).toContain('shellType');
  expect(await prompt(await tokenFor(undefined))).not.toContain('shellType');
});

it('a profile is managed on the command line with records, and its removal ends waiting calls', async () => {
  expect(JSON.parse(writ('create', 'passing', '--shell', 'Bash', '--json').out)).toMatchObject({
    name: 'passing',
    definition: { shells: ['Bash'], net: [] },
  });
  expect(writ('create', 'passing', '--shell', 'Git')).toMatchObject({
    status: 1,
    err: expect.stringContaining('conflict'),
  });
  expect(writ('create', 'wrong', '--shell', 'Bash', '--env', 'API_KEY=x')).toMatchObject({
    status: 1,
    err: expect.stringContaining('/environment/API_KEY'),
  });
  expect(writ('list').out).toContain('passing');
  expect(writ('show', 'passing').out).toContain('any');
  const held = await propose(
    'Bash',
    'echo x > passing.txt',
    { capability_token_id: await tokenFor(['passing']) },
    'passing',
  );
  await previewed(held);
  expect(writ('remove', 'passing')).toMatchObject({ status: 0 });
  await approveShown(world.admin, held.approval_id);
  expect(await world.until(held.operation_id as string, ENDED.slice(0, -1))).toMatchObject({ state: 'refused' });
  expect(await world.file('passing.txt')).toBeNull();
  const verbs = await eventually('its records', async () => {
    const rows = await observer.rows<{ verb: string }>(
      `SELECT p #>> '{change,verb}' AS verb
      FROM (SELECT leaf_index, convert_from(payload, 'UTF8')::jsonb -> 'predicate' AS p FROM ledger.leaf
        WHERE kind = 'change' AND tenant_id = $1) x
      WHERE p #>> '{change,subject}' = 'passing' ORDER BY leaf_index`,
      [world.tenantId],
    );
    return rows.length >= 2 && rows;
  });
  expect(verbs.map(({ verb }) => verb)).toEqual(['profile_created', 'profile_removed']);
});

it('leaves a log that verifies', () => {
  expectCleanLog(stack);
});
