// SPDX-License-Identifier: Apache-2.0
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSetup, type Setup } from '../setup.ts';
import { DEPLOY_PROGRAMS, ensurePrograms, type CheckProgram } from './check-programs.ts';

let dir: string;
let setup: Setup;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-programs-'));
  setup = makeSetup(join(dir, 'state'), join(dir, 'cache'), { PATH: `${dir}:/usr/bin:/bin` }, () => undefined);
  // A fake apt-get that logs the package, its last argument, and fails.
  script(
    'apt-get',
    `case " $* " in *" install "*) for last; do :; done; echo "$last" >> ${dir}/calls ;; esac; exit 100`,
  );
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

function script(name: string, body: string): void {
  writeFileSync(join(dir, name), `#!/bin/sh\n${body}\n`);
  chmodSync(join(dir, name), 0o755);
}
const asked = (): string[] =>
  existsSync(join(dir, 'calls')) ? [...new Set(readFileSync(join(dir, 'calls'), 'utf8').trim().split('\n'))] : [];

const PROGRAM: CheckProgram = {
  name: 'writ-nothing',
  packages: ['writ-nothing'],
  why: 'for this test',
  unless: ['writ-other', 'version'],
};

test('an existing program is not installed', async () => {
  script('writ-nothing', 'exit 0');
  await ensurePrograms(setup, [PROGRAM]);
  expect(asked()).toEqual([]);
});

test('a program is not installed where another one replaces it', async () => {
  script('writ-other', '[ "$1" = version ]');
  await ensurePrograms(setup, [PROGRAM]);
  expect(asked()).toEqual([]);
});

test('a failed install names the program, its purpose and the command to type', async () => {
  script('writ-other', 'exit 1');
  await expect(ensurePrograms(setup, [PROGRAM])).rejects.toMatchObject({
    name: 'SetupError',
    message: expect.stringMatching(/writ-nothing.* is needed for this test/) as string,
  });
  if (process.getuid?.() === 0) expect(asked()).toEqual(['writ-nothing']);
});

test('deployments are tested with Prometheus and with a Docker Compose, of either version', () => {
  expect(DEPLOY_PROGRAMS.map(({ name }) => name)).toEqual(['prometheus', 'docker-compose']);
  expect(DEPLOY_PROGRAMS.find(({ name }) => name === 'docker-compose')?.unless).toEqual([
    'docker',
    'compose',
    'version',
  ]);
});
