// SPDX-License-Identifier: Apache-2.0
// A freeze through the command line and the API, while real executors run.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import { DEPLOYMENT_LOG, logIdOf, type FreezeView } from '@writ/contract';
import {
  expectCleanLog,
  makeWorld,
  Observer,
  startStack,
  verifiedReceipt,
  type Api,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { repositoryRoot } from '@writ/testing';
import { GuideFolder } from './guide.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** A command that runs longer than a test waits. */
const LONG = 'echo begun > begun.txt; sleep 100; echo done > done.txt';
/** A stopped executor kills its commands and reports nothing more; the call ends with its lease. */
const LEASE_MS = 3_000;
const STOPPED_MS = LEASE_MS + 5_000;

let stack: Stack;
let ours: World;
let theirs: World;
let observer: Observer;

beforeAll(async () => {
  stack = await startStack({ env: { kernel: { WRIT_LEASE_MS: String(LEASE_MS), WRIT_SWEEP_MS: '250' } } });
  ours = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  theirs = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'two\n' } });
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
});

const writ = async (api: Api, ...args: string[]): Promise<JsonValue> => {
  const program = join(repositoryRoot(), 'apps', 'cli', 'dist', 'main.js');
  const env = { PATH: process.env['PATH'], WRIT_URL: api.url, WRIT_API_KEY: api.key };
  return JSON.parse(
    (await promisify(execFile)(process.execPath, [program, ...args, '--json'], { env })).stdout,
  ) as JsonValue;
};
const platform = (): Api => ours.admin.as(stack.keys.platformKey);
const read = (world: World): Promise<JsonValue> =>
  world.call('fs.read', { path: 'a.txt' }).then(({ body }) => body as JsonValue);
const begun = async (world: World): Promise<string> => {
  const { body } = await world.call('shell.run', { command: LONG }, {}, 0);
  await world.until(body.operation_id as string, ['performing']);
  return body.operation_id as string;
};

it('writ freeze stops running and new calls with its reason, and writ unfreeze ends that', async () => {
  const running = await begun(ours);
  const freeze = (await writ(ours.operator, 'freeze', 'tenant', '--reason', 'it deletes what it finds')) as FreezeView;
  const ended = await ours.until(running, ['rolled_back'], STOPPED_MS);
  expect(ended.result.error).toMatchObject({
    code: 'frozen',
    message: expect.stringContaining('it deletes what it finds'),
  });
  expect(await ours.file('begun.txt')).toBeNull();

  const refused = await read(ours);
  expect(refused).toMatchObject({
    status: 'error',
    error: { code: 'frozen', hint: expect.stringContaining(freeze.freeze_id) },
  });
  expect((await read(theirs)).status).toBe('ok');
  expect((await writ(ours.auditor, 'freeze', 'list')).items).toMatchObject([
    { freeze_id: freeze.freeze_id, state: 'standing' },
  ]);
  await expect(writ(ours.operator, 'unfreeze', freeze.freeze_id)).rejects.toMatchObject({
    stderr: expect.stringContaining('auth.role'),
  });

  expect(await writ(ours.admin, 'unfreeze', freeze.freeze_id)).toMatchObject({ state: 'lifted' });
  expect((await read(ours)).status).toBe('ok');
  for (const id of [running, refused.operation_id as string]) await verifiedReceipt(stack, ours, id);
});

it("the platform key freezes every tenant at once, recorded in the deployment's log", async () => {
  const running = [await begun(ours), await begun(theirs)];
  const freeze = (await writ(
    platform(),
    'freeze',
    'all',
    '--reason',
    'a flaw in the sandbox',
    '--for',
    '1h',
  )) as FreezeView;
  for (const [i, world] of [ours, theirs].entries())
    expect((await world.until(running[i] as string, ['rolled_back'], STOPPED_MS)).result.error.code).toBe('frozen');
  for (const world of [ours, theirs]) {
    expect((await read(world)).error).toMatchObject({
      code: 'frozen',
      message: expect.stringMatching(/^everything is frozen since .* by the platform: a flaw in the sandbox$/),
    });
    expect((await world.admin.post(`/v1/freezes/${freeze.freeze_id}/lift`)).body.code).toBe('auth.role');
  }
  await writ(platform(), 'unfreeze', freeze.freeze_id);
  for (const world of [ours, theirs]) expect((await read(world)).status).toBe('ok');
  await observer.untilLogged();
  expect(await observer.rows('SELECT kind FROM ledger.leaf WHERE log_id = $1', [logIdOf(DEPLOYMENT_LOG)])).toHaveLength(
    2,
  );
  expectCleanLog(stack);
});

it('every command of emergency-stop.md works as the guide describes', async () => {
  const folder = await GuideFolder.open(stack);
  try {
    expect(await folder.run('how-to/emergency-stop.md')).toMatch(/since +freeze +scope +what +state +why/);
  } finally {
    folder.remove();
  }
});
