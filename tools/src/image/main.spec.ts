// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const PROGRAM = join(import.meta.dirname, 'main.ts');

const run = (args: readonly string[], host: string) =>
  spawnSync(
    process.execPath,
    ['--conditions=@writ/source', '--disable-warning=ExperimentalWarning', PROGRAM, ...args],
    { encoding: 'utf8', env: { PATH: process.env['PATH'], DOCKER_HOST: host, NO_COLOR: '1' } },
  );

test('an engine that does not answer is reported without a stack trace', () => {
  const { status, stdout, stderr } = run(
    ['--base', 'acme/base:1', '--name', 'acme/sandbox:1'],
    'unix:///nowhere/docker.sock',
  );
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toBe('✖ no image was made of `acme/base:1`: connect ENOENT /nowhere/docker.sock\n');
}, 120_000);

test('a missing option is named', () => {
  const { status, stderr } = run(['--base', 'acme/base:1'], 'unix:///nowhere/docker.sock');
  expect(status).toBe(2);
  expect(stderr).toContain(`required option '--name <name>' not specified`);
}, 120_000);
