// SPDX-License-Identifier: Apache-2.0
// Images that tenants register through the API, in real containers: by digest, and built from a recipe of Debian's
// packages. Profiles with a user and an image, programs with an image, and calls whose image changed.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { pack } from 'tar-stream';
import { vi } from 'vitest';
import {
  approveShown,
  eventually,
  makeWorld,
  mustApproveShown,
  startStack,
  verifiedReceipt,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { testAddress } from '@writ/testing';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });

const run = promisify(execFile);
const READY_MS = 360_000;
/** Refused by the operator of this stack, who allows images of the engine alone. */
const ELSEWHERE = `registry.example.org/acme/tools@sha256:${'a'.repeat(64)}`;

let docker: Docker;
let folder: string;
let stack: Stack;
let world: World;
let token: string | undefined;
/** What the tests put into the engine; each name is of this run alone. */
const made: string[] = [];
let first: string;
/** The recipe that is built in each run, while other tests go on. */
const HELLO = { name: 'hello', version: '' };

/** Those of pip and npm take a minute each. */
const isWhole = process.env['WRIT_RECIPES'] === 'all';
const onRequest = isWhole ? '' : ' (skipped: on request, WRIT_RECIPES=all)';

beforeAll(async () => {
  process.env['DOCKER_HOST'] = testAddress('DOCKER_HOST');
  docker = new Docker();
  folder = mkdtempSync(join(tmpdir(), 'writ-tenant-images-'));
  const builds = join(folder, 'builds.json');
  writeFileSync(builds, JSON.stringify({ v: 1, ...(await registriesHere()) }));
  stack = await startStack({
    env: { kernel: { WRIT_IMAGE_SOURCES: 'engine' }, executor: { WRIT_IMAGE_BUILDS_FILE: builds } },
  });
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  first = await engineImage('first\n');
  HELLO.version = await versionOfDebian(HELLO.name);
  // An executor makes one after the other of a tenant, in this order.
  await create('tools', { digest: first }, ['shell.run']);
  await create('builder', { digest: first });
  await create('hello', { recipe: { debian: [HELLO] } });
});
afterAll(async () => {
  await stack?.stop();
  for (const id of made.toReversed())
    await docker
      .getImage(id)
      .remove({ force: true })
      .catch(() => undefined);
  rmSync(folder, { recursive: true, force: true });
});

async function versionOfDebian(name: string): Promise<string> {
  const { stdout } = await run('apt-cache', ['show', name]);
  return /^Version: (.+)$/m.exec(stdout)?.[1] ?? '';
}

/** The registries that this machine's own apt, pip and npm use. */
async function registriesHere(): Promise<object> {
  const { stdout } = await run('apt-get', [
    'indextargets',
    '--format',
    '$(SITE) $(CODENAME) $(COMPONENT)',
    'Created-By: Packages',
  ]);
  const [url] =
    stdout
      .split('\n')
      .find((line) => /\/debian\/? bookworm main$/.test(line))
      ?.split(' ') ?? [];
  const said = async (program: string, ...args: string[]): Promise<string> =>
    (await run(program, args).catch(() => ({ stdout: '' }))).stdout.trim();
  const pip = (await said('pip', 'config', 'get', 'global.index-url')) || 'https://pypi.org/simple';
  return {
    debian: { url, suites: ['bookworm'], components: ['main'] },
    pip: { url: process.env['PIP_INDEX_URL'] ?? pip },
    npm: { url: (await said('npm', 'config', 'get', 'registry')) || 'https://registry.npmjs.org/' },
    hosts: ['files.pythonhosted.org'],
    ca_file: '/etc/ssl/certs/ca-certificates.crt',
  };
}

/**
 * Stands in for PowerShell, which no registry that is reached here has: it says how it was called, as JSON, runs
 * nothing of the script, and exits with the number of an `exit N`.
 */
const STAND_IN_FOR_PWSH = `#!/usr/bin/python3
import base64, json, os, re, sys
script = base64.b64decode(sys.argv[sys.argv.index('-EncodedCommand') + 1]).decode('utf-16-le')
print(json.dumps({'argv': sys.argv[1:-1], 'script': script, 'stage': os.environ.get('STAGE')}))
found = re.search('^exit ([0-9]+)$', script, re.M)
sys.exit(int(found.group(1)) if found else 0)
`;

/** An image of the sandbox's base with an edition, a user and a program; the engine alone has it. */
async function engineImage(edition: string): Promise<string> {
  const container = await docker.createContainer({ Image: testAddress('WRIT_TEST_SANDBOX_BASE'), Cmd: ['/bin/true'] });
  try {
    const archive = pack();
    archive.entry({ name: 'opt/edition', mode: 0o644 }, edition);
    archive.entry({ name: 'usr/local/bin/acme', mode: 0o755 }, '#!/bin/bash\necho "acme $1 $(cat /opt/edition)"\n');
    archive.entry({ name: 'usr/local/bin/pwsh', mode: 0o755 }, STAND_IN_FOR_PWSH);
    archive.entry(
      { name: 'etc/passwd', mode: 0o644 },
      'root:x:0:0:root:/root:/bin/bash\nbuilder:x:2000:2001:builds:/home/builder:/bin/bash\ntoor:x:0:0::/root:/bin/bash\n',
    );
    archive.finalize();
    await container.putArchive(archive as unknown as NodeJS.ReadableStream, { path: '/' });
    const { Id } = (await container.commit()) as { Id: string };
    made.push(Id);
    return Id;
  } finally {
    await container.remove({ force: true });
  }
}

const create = async (name: string, source: object, tools: string[] = []) =>
  await world.admin.post('/v1/images', { name, source, tools });
const remove = async (name: string) => await world.admin.request('DELETE', `/v1/images/${name}`);
const ended = async (name: string): Promise<JsonValue> =>
  await eventually(
    `the end of the image ${name}`,
    async () => {
      const { body } = await world.admin.get(`/v1/images/${name}`);
      return ['ready', 'failed'].includes(body.state as string) ? body : null;
    },
    READY_MS,
  );
const ready = async (name: string, source: object, tools: string[] = []): Promise<string> => {
  const created = await create(name, source, tools);
  expect(created, JSON.stringify(created.body)).toMatchObject({ status: 200 });
  return await digestOf(name);
};
/** What calls run in, once the image is ready. */
const digestOf = async (name: string): Promise<string> => {
  const image = await ended(name);
  const { body } = await world.admin.get(`/v1/images/${name}/log`);
  expect(image, body.log as string).toMatchObject({ state: 'ready', problem: null });
  return image.image_digest as string;
};
const profile = async (name: string, over: object) =>
  await world.admin.must('/v1/execution-profiles', {
    name,
    shells: ['Bash', 'PowerShell'],
    environment: { STAGE: 'test' },
    limits: { wall_ms: 60_000, memory_bytes: 256 * 1024 * 1024 },
    ...over,
  });

/** A token of every tool and of the profiles. */
async function tokenOfAll(): Promise<string> {
  token ??= (
    await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: {
        tools: ['*'],
        fs: [{ path: '', read: true, write: true }],
        net: [],
        secrets: [],
        profiles: ['builds', 'shell', 'numbers', 'root', 'nobody', 'packages'],
        budgets: {},
        not_before: 0,
        expires_at: Date.now() + 3_600_000,
      },
    })
  ).capability_token_id as string;
  return token;
}

/** Holds a raw command, approves it as shown, and returns its end. */
async function raw(profileName: string, command: string, shell = 'Bash'): Promise<JsonValue> {
  const { body: held } = await world.call(
    'shell.dangerous',
    { shell, command, profile: profileName },
    { capability_token_id: await tokenOfAll() },
    50_000,
  );
  if (held.state !== 'held') return held;
  await mustApproveShown(world.admin, held.approval_id);
  const end = await world.until(held.operation_id as string, ['committed', 'rolled_back', 'no_op'], 120_000);
  return { ...(end.result as object), state: end.state } as JsonValue;
}
const outputOf = (body: JsonValue): string => (body.result?.output as string | undefined) ?? JSON.stringify(body);

describe('an image of the engine that a tenant registers', () => {
  it('runs the calls of its tools, by the digest that their records name, and no longer once it is removed', async () => {
    expect(await digestOf('tools')).toBe(first);
    const { body } = await world.call('shell.run', { command: 'cat /opt/edition a.txt; id -un' }, {}, 50_000);
    expect(outputOf(body)).toBe('first\none\nsandbox\n');
    const { record } = await verifiedReceipt(stack, world, body.operation_id as string);
    expect(record['image_digest']).toBe(first);
    expect(await remove('tools')).toMatchObject({ status: 200, body: { removed: 'tools' } });
    const { body: after } = await world.call('shell.run', { command: 'cat /opt/edition || true' }, {}, 50_000);
    expect(outputOf(after)).toContain('No such file');
    for (const verb of ['image_created', 'image_ready', 'image_removed'])
      await eventually(`a record of ${verb}`, async () => {
        const { items } = (await world.auditor.get(`/v1/records?text=${verb}`)).body as { items: JsonValue[] };
        return items.length > 0;
      });
  });

  it('runs raw commands of a profile as the user that the profile names, in its image', async () => {
    await digestOf('builder');
    await profile('builds', { image: 'builder', user: 'builder' });
    await profile('numbers', { image: 'builder', user: { uid: 4000, gid: 4001 } });
    const end = await raw(
      'builds',
      'id -u; id -g; id -un; echo $USER; cat /opt/edition; echo two > made.txt; ls -n made.txt',
    );
    expect(end).toMatchObject({ state: 'committed' });
    expect(outputOf(end)).toMatch(/^2000\n2001\nbuilder\nbuilder\nfirst\n-rw-r--r-- 1 2000 2001 /);
    expect(await world.file('made.txt')).toBe('two\n');
    expect(
      outputOf(await raw('numbers', 'id -u; id -g; touch /workspace/x /tmp/x && rm x; head -c 1 /etc/shadow || true')),
    ).toMatch(/^4000\n4001\n.*Permission denied/s);
  });

  it('runs no command as root, nor as a user that it lacks', async () => {
    await profile('root', { image: 'builder', user: 'toor' });
    await profile('nobody', { image: 'builder', user: 'unheard-of' });
    expect(await raw('root', 'id')).toMatchObject({
      state: 'rolled_back',
      error: { code: 'image.unavailable', message: expect.stringContaining('root') },
    });
    expect(await raw('nobody', 'id')).toMatchObject({ error: { message: expect.stringContaining('no user') } });
    const { body } = await world.admin.post('/v1/execution-profiles', {
      name: 'zero',
      shells: ['Bash'],
      user: { uid: 0, gid: 0 },
      limits: { wall_ms: 1_000, memory_bytes: 64 * 1024 * 1024 },
    });
    expect(body).toMatchObject({ valid: false, profile: null });
  });

  it('gives PowerShell its command encoded, unchanged, and takes its exit status (a stand-in for pwsh)', async () => {
    await profile('shell', { image: 'builder' });
    const script = 'Write-Output "it\'s $env:STAGE; `n ünï 🦊" | ForEach-Object { $_ }';
    const end = await raw('shell', script, 'PowerShell');
    expect(JSON.parse(outputOf(end))).toEqual({
      argv: ['-NoLogo', '-NoProfile', '-NonInteractive', '-OutputFormat', 'Text', '-EncodedCommand'],
      script,
      stage: 'test',
    });
    expect(await raw('shell', 'Write-Output x\nexit 7', 'PowerShell')).toMatchObject({
      state: 'rolled_back',
      error: { code: 'command.failed', message: expect.stringContaining('7') },
    });
  });

  it("runs a tenant's program that names it", async () => {
    const file = {
      tools: [
        {
          name: 'acme',
          description: 'Acme.',
          category: 'read',
          cmd: 'acme',
          args: ['{{a}}'],
          image: 'builder',
          parameters: { a: { type: 'string' } },
        },
      ],
    };
    expect(await world.admin.request('PUT', '/v1/tools', file)).toMatchObject({ status: 200 });
    const { body } = await world.call('acme', { a: 'x; id' }, { capability_token_id: await tokenOfAll() }, 50_000);
    expect(outputOf(body)).toBe('acme x; id first\n');
    const { record } = await verifiedReceipt(stack, world, body.operation_id as string);
    expect(record['image_digest']).toBe(first);
  });

  it('may be built from a recipe of a Debian package, whose program is there for calls', async () => {
    made.push(await digestOf('hello'));
    await profile('packages', { image: 'hello' });
    expect(outputOf(await raw('packages', 'hello; id -u'))).toBe('Hello, world!\n10001\n');
    expect((await world.admin.get('/v1/images/hello/log')).body.log).toContain(`hello=${HELLO.version}`);
  });

  it('that changed since a call was decided ends the call as changed', async () => {
    const command = { shell: 'Bash', command: 'cat /opt/edition', profile: 'shell' };
    const { body: held } = await world.call(
      'shell.dangerous',
      command,
      { capability_token_id: await tokenOfAll() },
      50_000,
    );
    expect(held).toMatchObject({ state: 'held' });
    await remove('builder');
    await ready('builder', { digest: await digestOf('hello') });
    const { body: answer } = await approveShown(world.admin, held.approval_id);
    expect(JSON.stringify(answer)).toMatch(/approval\.stale|tool\.changed/);
    expect(outputOf(await raw('shell', 'hello; ls /opt'))).toBe('Hello, world!\nwrit\n');
  });

  it('that is removed, failed, of elsewhere or no image is refused', async () => {
    await remove('builder');
    expect(await raw('builds', 'id')).toMatchObject({ status: 'error', error: { code: 'image.unknown' } });
    expect(await create('x', { reference: ELSEWHERE })).toMatchObject({
      status: 403,
      body: { code: 'image.not_allowed', pointer: '/source/reference' },
    });
    expect(await create('x', { reference: 'registry.example.org/acme/tools:latest' })).toMatchObject({
      status: 400,
      body: { code: 'request.malformed', pointer: '/source/reference' },
    });
    expect(await create('missing', { digest: `sha256:${'0'.repeat(64)}` }, ['shell.run'])).toMatchObject({
      status: 200,
    });
    expect(await ended('missing')).toMatchObject({ state: 'failed', problem: expect.stringContaining('no image') });
    const { body } = await world.call('shell.run', { command: 'true' }, {}, 50_000);
    expect(body).toMatchObject({ status: 'error', error: { code: 'image.not_ready' } });
    await remove('missing');
  });
});

describe('a recipe', () => {
  it.skipIf(!isWhole).each([
    ['pip', { name: 'iniconfig', version: '2.0.0' }, 'python3 -c "import iniconfig; print(iniconfig.__name__)"'],
    ['npm', { name: 'semver', version: '7.6.3' }, 'semver 1.2.3'],
  ])(`of %s is built, and what it has is there for calls${onRequest}`, async (kind, pinned, command) => {
    made.push(await ready(kind, { recipe: { [kind]: [pinned] } }, ['shell.run']));
    const { body } = await world.call('shell.run', { command }, {}, 50_000);
    expect(outputOf(body)).toBe(kind === 'pip' ? 'iniconfig\n' : '1.2.3\n');
    await remove(kind);
  });

  it('with a range of versions or something to run is refused', async () => {
    for (const recipe of [
      { debian: [{ name: 'hello', version: '>=1' }] },
      { debian: [{ name: '-o=x', version: '1' }] },
      { npm: [{ name: 'x', version: 'latest' }] },
      { pip: [{ name: 'x', version: '1 ; id' }] },
      { run: ['id'] },
      {},
    ])
      expect(await create('bad', { recipe }), JSON.stringify(recipe)).toMatchObject({ status: 400 });
  });
});
