// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identify } from '../process/identity.ts';
import { makeSetup, type Setup } from '../setup.ts';
import { ensureProgram, findProgram, installCommand, policy } from './packages.ts';

let dir: string;
let setup: Setup;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-packages-'));
  setup = makeSetup(join(dir, 'state'), join(dir, 'cache'), { PATH: `${dir}:/usr/bin:/bin` }, () => undefined);
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

/** A fake apt-get that logs its calls, and runs the script. */
const fakeApt = (script: string): void => {
  writeFileSync(join(dir, 'apt-get'), `#!/bin/sh\necho "$@ $DEBIAN_FRONTEND" >> ${dir}/calls\n${script}\n`);
  chmodSync(join(dir, 'apt-get'), 0o755);
};
const calls = (): string[] => readFileSync(join(dir, 'calls'), 'utf8').trim().split('\n');
const makeProgram = `printf '#!/bin/sh\\n' > ${'$'}(dirname "$0")/writ-nothing; chmod +x ${'$'}(dirname "$0")/writ-nothing`;
const POLICY = '/usr/sbin/policy-rc.d';
const isRoot = process.getuid?.() === 0;

test('the command to type is complete', () => {
  expect(installCommand(['docker.io'], false)).toBe(
    'sudo apt-get update && sudo apt-get install -y --no-install-recommends docker.io',
  );
  expect(installCommand(['a', 'b'], true)).toBe('apt-get update && apt-get install -y --no-install-recommends a b');
});

test('a program is found on PATH first, then where the system keeps its own', () => {
  expect(findProgram(setup.env, 'useradd')).toMatch(/sbin\/useradd$/);
  writeFileSync(join(dir, 'useradd'), '', { mode: 0o755 });
  expect(findProgram(setup.env, 'useradd')).toBe(join(dir, 'useradd'));
});

test('a file without execute permission is no program', () => {
  writeFileSync(join(dir, 'writ-nothing'), '', { mode: 0o644 });
  expect(findProgram(setup.env, 'writ-nothing')).toBeUndefined();
});

test('a missing package is installed as root, and otherwise the command to type is shown', async () => {
  fakeApt(makeProgram);
  const before = existsSync(POLICY);
  const found = ensureProgram(setup, 'writ-nothing', ['writ-nothing'], 'for this test');
  if (isRoot) {
    expect(await found).toBe(join(dir, 'writ-nothing'));
    expect(calls()).toEqual([
      'install -y --no-install-recommends -o DPkg::Lock::Timeout=120 writ-nothing noninteractive',
    ]);
    expect(existsSync(POLICY)).toBe(before);
  } else {
    await expect(found).rejects.toMatchObject({ details: [expect.stringContaining('sudo apt-get install')] });
  }
});

test('a failed install is retried after an update of the package lists', async () => {
  fakeApt(
    'case "$1" in install) test -e "$0.updated" || exit 100; ' + makeProgram + ' ;; update) touch "$0.updated" ;; esac',
  );
  const found = ensureProgram(setup, 'writ-nothing', ['writ-nothing'], 'for this test');
  if (!isRoot) return expect(found).rejects.toThrow('is needed');
  await found;
  expect(calls().map((line) => line.split(' ')[0])).toEqual(['install', 'update', 'install']);
});

test('when apt fails, its own messages are shown', async () => {
  fakeApt('echo "E: Unable to locate package"; exit 100');
  const error = await ensureProgram(setup, 'writ-nothing', ['writ-nothing'], 'for this test').catch(
    (reason: unknown) => reason,
  );
  if (isRoot) expect(error).toMatchObject({ name: 'SetupError', details: ['E: Unable to locate package'] });
  else expect(error).toMatchObject({ name: 'SetupError' });
});

test("services don't start during an install, and a killed set-up doesn't block them afterwards", () => {
  const run = (who: ReturnType<typeof identify>): number | null => {
    writeFileSync(join(dir, 'policy-rc.d'), policy(who), { mode: 0o755 });
    return spawnSync(join(dir, 'policy-rc.d'), ['nats-server', 'start']).status;
  };
  expect(run(identify(process.pid))).toBe(101);
  expect(existsSync(join(dir, 'policy-rc.d'))).toBe(true);
  expect(run({ ...identify(process.pid)!, started: '1' })).toBe(0);
  expect(existsSync(join(dir, 'policy-rc.d'))).toBe(false);
});
