// SPDX-License-Identifier: Apache-2.0
// The programs of the default sandbox image, in a container with the restrictions of every call: user 10001, a
// read-only root, no network, and the named system calls alone.
import { randomUUID } from 'node:crypto';
import Docker from 'dockerode';
import { DockerSandbox } from '@writ/sandbox-docker';
import { testAddress } from '@writ/testing';

const MIB = 1024 * 1024;
const LIMITS = {
  memoryBytes: 1024 * MIB,
  cpus: 1,
  pids: 256,
  tmpfsBytes: 256 * MIB,
  wallMs: 110_000,
  cpuMs: 110_000,
  outputBytes: 200_000,
  deltaBytes: 64 * MIB,
  deltaFiles: 10_000,
};

let sandbox: DockerSandbox;
beforeAll(async () => {
  process.env['DOCKER_HOST'] = testAddress('DOCKER_HOST');
  sandbox = await DockerSandbox.open({
    docker: new Docker(),
    label: testAddress('WRIT_TEST_LABEL'),
    owner: `test-${randomUUID()}`,
    pools: [],
  });
}, 120_000);
afterAll(() => sandbox?.close(), 120_000);

/** Runs a command in a container of the image; resolves with its exit status and output. */
async function run(command: string): Promise<{ readonly status: number | null; readonly output: string }> {
  const { exitCode, output, ended, detail } = await sandbox.run(
    {
      image: testAddress('WRIT_TEST_SANDBOX_IMAGE_DIGEST'),
      files: [],
      command,
      cwd: '',
      env: {},
      labels: {},
      limits: LIMITS,
    },
    new AbortController().signal,
  );
  expect([ended, detail]).toEqual(['exited', null]);
  return { status: exitCode, output: Buffer.concat(output.map(({ bytes }) => bytes)).toString() };
}

const VERSIONS: Readonly<Record<string, RegExp>> = {
  'bash --version': /^GNU bash, version 5/,
  'node --version': /^v24\./,
  'npm --version': /^11\./,
  'npx --version': /^11\./,
  'python3 --version': /^Python 3\.11/,
  'python3 -m pip --version': /^pip 23/,
  'make --version': /^GNU Make 4/,
  'gcc --version': /^gcc .* 12/,
  'git --version': /^git version 2/,
  'patch --version': /^GNU patch 2/,
  'curl --version': /^curl 7/,
  'jq --version': /^jq-1/,
  'rg --version': /^ripgrep 13/,
  'zip --version': /^Copyright[^]*Zip 3/,
  'unzip -v': /^UnZip 6/,
};

describe('each program of the image answers its version', () => {
  const answers = new Map<string, string>();
  beforeAll(async () => {
    const commands = Object.keys(VERSIONS);
    // One container for all: the start of one costs more than most of the programs.
    const { output } = await run(commands.map((command) => `echo "== $(${command} 2>&1) [$?]"`).join('\n'));
    for (const [n, answer] of output.split('== ').slice(1).entries()) answers.set(commands[n] ?? '', answer.trim());
  }, 120_000);

  test.each(Object.entries(VERSIONS))('%s', (command, version) => {
    expect(answers.get(command)).toMatch(version);
    expect(answers.get(command)).toMatch(/\[0\]$/);
  });
});

test('make and gcc build a program that runs', async () => {
  expect(
    await run(
      String.raw`printf '#include <stdio.h>\nint main(void) { return puts("built") < 0; }\n' > a.c; printf 'a: a.c\n\tgcc -O2 -Wall -o a a.c\n' > Makefile; make -s && ./a`,
    ),
  ).toEqual({ status: 0, output: 'built\n' });
}, 120_000);

test('a virtual environment has its own python and pip', async () => {
  const { status, output } = await run('python3 -m venv /tmp/v && . /tmp/v/bin/activate && pip --version');
  expect([status, output]).toEqual([0, expect.stringMatching(/^pip 23.* from \/tmp\/v\//)]);
}, 120_000);

test('npm runs scripts, and installs a package from an archive without a network', async () => {
  const command = [
    'mkdir -p made app',
    `echo '{"name":"made","version":"1.0.0","bin":{"made":"made.js"}}' > made/package.json`,
    `printf '#!/usr/bin/env node\\nconsole.log("made")\\n' > made/made.js`,
    '(cd made && npm pack --silent --pack-destination /tmp)',
    'cd app',
    `echo '{"name":"app","version":"1.0.0","scripts":{"say":"made"}}' > package.json`,
    'npm install --silent --offline /tmp/made-1.0.0.tgz',
    'npm run --silent say',
    'npx --offline made',
  ].join(' && ');
  expect(await run(command)).toEqual({ status: 0, output: 'made-1.0.0.tgz\nmade\nmade\n' });
}, 120_000);

test('zip, unzip, jq and ripgrep work on files', async () => {
  expect(
    await run(
      `echo '{"a":[1,2]}' > a.json && zip -q a.zip a.json && rm a.json && unzip -q a.zip && jq -c '.a' a.json && rg -l '"a"'`,
    ),
  ).toEqual({ status: 0, output: '[1,2]\na.json\n' });
}, 60_000);
