// SPDX-License-Identifier: Apache-2.0
// The commands of the policy guide, on a whole Writ: a set from a file is activated, decides, is simulated, and is
// replaced again.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { makeWorld, sharedStack, verifiedReceipt, type JsonValue, type SharedStack, type World } from '@writ/stack';
import { repositoryRoot } from '@writ/testing';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stack: SharedStack;
let world: World;
const folder = mkdtempSync(join(tmpdir(), 'writ-policies-'));
const NO_SECRETS =
  '@id("no_env") @reason("files of secrets aren\'t read") @would_pass("another file")\nforbid (principal, action == Action::"fs.read", resource is File)\nwhen { resource.path == ".env" };\n@id("all") @reason("everything else is permitted")\npermit (principal, action, resource);\n';
writeFileSync(join(folder, 'rules.cedar'), NO_SECRETS);
writeFileSync(join(folder, 'team.json'), JSON.stringify({ v: 1, name: 'team', cedar_file: 'rules.cedar' }));

beforeAll(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n', '.env': 'KEY=1\n' } });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
});

interface Ran {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}
const writ = (...args: string[]): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const program = join(repositoryRoot(), 'apps/cli/src/main.ts');
    const child = spawn(process.execPath, ['--conditions=@writ/source', program, ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'], WRIT_URL: stack.url, WRIT_API_KEY: world.admin.key },
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (text: Buffer) => {
      out += text.toString();
    });
    child.stderr.on('data', (text: Buffer) => {
      err += text.toString();
    });
    child.on('error', reject);
    child.on('close', (status) => {
      resolve({ status, out, err });
    });
  });
const json = async (...args: string[]): Promise<JsonValue> => {
  const { status, out, err } = await writ(...args, '--json');
  if (status !== 0) throw new Error(err);
  return JSON.parse(out) as JsonValue;
};

it('a set from a file is backtested, activated, decides, and is reverted', async () => {
  const first = await world.call('fs.read', { path: '.env' });
  expect(first.body.status).toBe('ok');
  expect((await writ('policy', 'validate', 'team.json')).out).toContain('team');

  writeFileSync(
    join(folder, 'backtest.json'),
    JSON.stringify(await json('policy', 'backtest', 'team.json', '--since', '1d')),
  );
  expect((await writ('policy', 'verify-backtest', 'backtest.json', '--keys', stack.keys.publicKeysFile)).out).toMatch(
    /autopilot → no_go +fs\.read +1/,
  );

  const stored = await json('policy', 'put', 'team.json');
  expect(stored).toMatchObject({ name: 'team', version: 1, active: false });
  expect(await json('policy', 'activate', 'team', '--if-active', 'default')).toMatchObject({
    policy_hash: stored.policy_hash,
    seq: 1,
  });
  const refused = await world.call('fs.read', { path: '.env' });
  expect(refused.body).toMatchObject({ status: 'error', error: { code: 'policy.denied' } });
  expect((await verifiedReceipt(stack, world, refused.body.operation_id as string)).record.policy_hash).toBe(
    stored.policy_hash,
  );

  expect((await writ('policy', 'explain', first.body.operation_id as string)).out).toContain(
    'the set in force decides otherwise',
  );
  const simulated = await world.operator.post('/v1/policies/simulate', {
    policy: 'default',
    call: {
      agent_id: world.agentId,
      capability_token_id: world.tokenId,
      workspace_id: world.workspaceId,
      tool_id: 'fs.read',
      args: { path: '.env' },
    },
  });
  expect([simulated.status, simulated.body]).toMatchObject([200, { simulated: true, would_be: 'admitted' }]);

  expect(await json('policy', 'rollback', '--if-active', 'team')).toMatchObject({ name: 'default', seq: 2 });
  expect((await world.call('fs.read', { path: '.env' })).body.status).toBe('ok');
  expect((await writ('policy', 'history')).out).toMatch(/default@1[\s\S]*team@1/);
});

it('a backtest with effects lists the committed ones that a set would hold', async () => {
  const files = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`f${n}.txt`, `words of file ${n}\n`]));
  const other = await makeWorld(stack.url, stack.keys.platformKey, { files });
  const deleted = await other.call('shell.run', { command: 'rm f0.txt f1.txt' });
  expect(deleted.body.status).toBe('ok');
  const cedar = '@id("all") @reason("everything is permitted")\npermit (principal, action, resource);\n';
  const effects = { general: { lost_many: { few_files: 2, few_share: 0.1 } } };
  const document = { v: 1, name: 'careful', cedar, effects };
  const { status, body } = await other.operator.post('/v1/policies/backtest', { document, effects: true });
  expect([status, body.page.effects]).toMatchObject([
    200,
    {
      judged: 1,
      skipped: 0,
      without_series: 0,
      changes: [{ from: 'autopilot', to: 'soft_gate', tool_id: 'shell.run', count: 1 }],
      examples: [
        {
          operation_id: deleted.body.operation_id,
          findings: ['effect.lost_many'],
          headline: 'the call deletes 2 of 12 files',
        },
      ],
    },
  ]);
  expect((await other.operator.post('/v1/policies/backtest', { document })).body.page).not.toHaveProperty('effects');
});

it('an invalid set gets its errors with their places, and agents see no sets', async () => {
  const put = await world.admin.post('/v1/policies', { document: { v: 1, name: 'bad', cedar: 'permit (principal' } });
  expect([put.status, put.body.code, put.body.problems.length]).toEqual([422, 'policy.invalid', expect.any(Number)]);
  writeFileSync(
    join(folder, 'rules.cedar'),
    `${NO_SECRETS}@id("x") forbid (principal, action, resource) when { context.nothing };`,
  );
  const { status, err } = await writ('policy', 'validate', 'team.json');
  expect([status, err]).toEqual([1, expect.stringContaining('rules.cedar:6:')]);
  expect((await world.agent.get('/v1/policies')).status).toBe(403);
});
