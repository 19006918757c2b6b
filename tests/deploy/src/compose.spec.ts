// SPDX-License-Identifier: Apache-2.0
// deploy/compose as an operator starts it, on a real engine. On demand: vitest.config.mjs beside this folder says how.
import { randomUUID } from 'node:crypto';
import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Api,
  eventually,
  makeWorld,
  Observer,
  verifiedReceipt,
  type JsonValue,
  type StackKeys,
  type World,
} from '@writ/stack';
import { repositoryRoot, testAddress } from '@writ/testing';
import { Deployment, KEPT, must, type Kept } from './compose.ts';

const MINUTE_MS = 60_000;
const ROOT = repositoryRoot();
/**
 * Images of Debian's packages, for a machine that reaches no registry; another set of images is named by the same
 * variables.
 */
const LOCAL = { postgres: 'POSTGRES_IMAGE', nats: 'NATS_IMAGE' } as const;
const CALL_MS_MAX = 4 * MINUTE_MS;
/** How long calls go on after a container has gone down. */
const AFTER_MS = 5_000;
const AGAIN: ReadonlySet<number> = new Set([202, 429, 500, 502, 503, 504]);

let dir: string;
let deployment: Deployment;
let platformKey: string;
let databasePassword: string;

function buildImages(): string {
  const envFile = join(dir, 'env');
  const given = process.env['WRIT_TEST_COMPOSE_ENV'];
  if (given !== undefined) {
    copyFileSync(given, envFile);
    return envFile;
  }
  must(['npm', 'run', '--silent', 'images', '--', '--env', envFile], { cwd: ROOT });
  for (const [name, variable] of Object.entries(LOCAL)) {
    const image = process.env[variable] ?? `writ-local/${name}:spec`;
    if (process.env[variable] === undefined) {
      const base = `BASE_IMAGE=${testAddress('WRIT_TEST_SANDBOX_BASE')}`;
      must(
        [
          'docker',
          'build',
          '--network',
          'host',
          '--build-arg',
          base,
          '--file',
          `${name}.Dockerfile`,
          '--tag',
          image,
          '.',
        ],
        {
          cwd: join(ROOT, 'docker', 'local'),
          env: { DOCKER_BUILDKIT: '0' },
        },
      );
    }
    appendFileSync(envFile, `${variable}=${image}\n`);
  }
  return envFile;
}

const urlOf = async (): Promise<string> => `http://${await deployment.addressOf('orchestrator')}:7480`;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'writ-compose-'));
  deployment = new Deployment(`writ-spec-${process.pid}`, buildImages());
  deployment.up();
  await deployment.healthy();
  platformKey = deployment.read('keys-platform', 'platform-api-key');
  databasePassword = deployment.read('keys-postgres', 'password');
  writeFileSync(join(dir, 'public-keys.json'), deployment.read('public-keys', 'public-keys.json'));
}, 20 * MINUTE_MS);
afterAll(async () => {
  await deployment.remove();
  rmSync(dir, { recursive: true });
}, 2 * MINUTE_MS);

it(
  'the main job does all that it does with `npm start`',
  async () => {
    const state = join(dir, 'job');
    mkdirSync(state);
    writeFileSync(join(state, 'public-keys.json'), deployment.read('public-keys', 'public-keys.json'));
    const program = `const { runJob } = await import(process.argv[1]);
    const [apiUrl, platformKey, stateDir] = process.argv.slice(2);
    const onProgress = () => undefined;
    console.log(JSON.stringify(await runJob({ apiUrl, platformKey, stateDir, onProgress, env: {} })));`;
    const flags = [
      '--conditions=@writ/source',
      '--disable-warning=ExperimentalWarning',
      '--input-type=module',
      '--eval',
      program,
    ];
    const said = must([
      process.execPath,
      ...flags,
      join(ROOT, 'tools/src/job/main.ts'),
      await urlOf(),
      platformKey,
      state,
    ]);
    const { expectations } = JSON.parse(said) as { expectations: { what: string; met: boolean; found: string }[] };
    expect(expectations.length).toBeGreaterThan(8);
    expect(expectations.filter(({ met }) => !met)).toEqual([]);
  },
  5 * MINUTE_MS,
);

it('every container runs with a read-only root, without rights, and as nobody in particular', async () => {
  for (const service of [...KEPT, 'keys', 'nats-config', 'migrate']) {
    const { HostConfig, Config } = await deployment.docker
      .getContainer((await deployment.container(service)).Id)
      .inspect();
    expect({
      service,
      root: HostConfig.ReadonlyRootfs,
      rights: HostConfig.CapDrop,
      more: HostConfig.SecurityOpt,
      user: Config.User,
      memory: (HostConfig.Memory ?? 0) > 0,
    }).toEqual({
      service,
      root: true,
      rights: ['ALL'],
      more: ['no-new-privileges:true'],
      user: '10001:10001',
      memory: true,
    });
  }
});

it('each service has its own keys alone', async () => {
  for (const service of ['ledger', 'kernel', 'executor', 'orchestrator']) {
    const { Mounts } = await deployment.docker.getContainer((await deployment.container(service)).Id).inspect();
    const keys = Mounts.map(({ Name = '' }) => /_(keys-.+)$/.exec(Name)?.[1]).filter((name) => name !== undefined);
    expect(keys).toEqual([`keys-${service}`]);
  }
});

/** A call that ended, as its client saw it. */
interface Ended {
  readonly path: string;
  readonly outcome: string;
  readonly code: string | null;
  readonly operationId: string;
}

/**
 * Makes a call that writes a file, and asks with the same key until it has an end, as a client does whose server comes
 * and goes.
 */
async function callToItsEnd(world: World, tool: 'fs.write' | 'shell.run', path: string): Promise<Ended> {
  const key = randomUUID();
  const args = tool === 'fs.write' ? { path, content: `${path}\n` } : { command: `echo ${path} > ${path}` };
  let seen = 'no answer';
  const body = await eventually<JsonValue>(
    () => `the end of ${path}: ${seen}`,
    async () => {
      const answer = await world.call(tool, args, { idempotency_key: key }, 10_000).catch(() => null);
      if (answer === null) return null;
      seen = `${answer.status} ${answer.text}`;
      return AGAIN.has(answer.status) ? null : answer.body;
    },
    CALL_MS_MAX,
  );
  const { tx_outcome, error, operation_id } = body;
  return {
    path,
    outcome: tx_outcome as string,
    code: (error?.code ?? null) as string | null,
    operationId: operation_id as string,
  };
}

/**
 * Two clients that make one call after the other until they are told to end: files of the one, commands of the other.
 */
function load(world: World): { readonly stop: () => Promise<readonly Ended[]> } {
  let isOn = true;
  const client = async (tool: 'fs.write' | 'shell.run'): Promise<Ended[]> => {
    const ends: Ended[] = [];
    while (isOn) ends.push(await callToItsEnd(world, tool, `${tool.replace('.', '-')}-${ends.length}.txt`));
    return ends;
  };
  const clients = Promise.all([client('fs.write'), client('shell.run')]);
  clients.catch(() => undefined);
  return {
    stop: async () => {
      isOn = false;
      return (await clients).flat();
    },
  };
}

/** The database as its administrator sees it, from outside of the deployment's network. */
const databaseUrl = async (): Promise<string> =>
  `postgres://postgres:${databasePassword}@${await deployment.addressOf('postgres')}:5432/writ?sslmode=no-verify`;

async function expectNothingLost(world: World, ends: readonly Ended[]): Promise<void> {
  expect(ends.filter(({ outcome }) => outcome === 'committed').length).toBeGreaterThan(5);
  // Three executors may be lost under one call; it is told so then, and left no trace.
  const others = ends.filter(({ outcome }) => outcome !== 'committed');
  for (const { outcome, code } of others) expect([outcome, code]).toEqual(['rolled_back', 'attempts.exhausted']);
  for (const { path, outcome } of ends)
    expect(await world.file(path)).toBe(outcome === 'committed' ? `${path}\n` : null);
  const observer = new Observer({ database: { ownerUrl: await databaseUrl() } as never });
  await observer.untilLogged(MINUTE_MS);
  for (const { operationId } of ends) expect(await observer.outcomes(operationId)).toBe(1);
  const keys = { publicKeysFile: join(dir, 'public-keys.json') } as StackKeys;
  for (const { operationId } of ends) await verifiedReceipt({ keys }, world, operationId);
  const fsck = [
    '--conditions=@writ/source',
    join(ROOT, 'tools/src/fsck/main.ts'),
    '--database',
    await databaseUrl(),
    '--keys',
    keys.publicKeysFile,
  ];
  expect(must([process.execPath, ...fsck])).toMatch(/, 0 with findings\n$/);
}

describe.each<[string, (service: Kept) => Promise<void>]>([
  ['is killed', (service) => deployment.crash(service)],
  [
    'is restarted',
    async (service) => {
      deployment.run('restart', '--timeout', '12', service);
      await Promise.resolve();
    },
  ],
])('under load nothing is lost when a container %s', (_how, act) => {
  it.each(KEPT)(
    '%s',
    async (service) => {
      const world = await makeWorld(await urlOf(), platformKey, { files: { 'a.txt': 'one\n' } });
      const loading = load(world);
      await sleep(2_000);
      await act(service);
      await deployment.healthy([service]);
      await sleep(AFTER_MS);
      await expectNothingLost(world, await loading.stop());
    },
    10 * MINUTE_MS,
  );
});

it(
  'a second `up` and a restart of everything keep keys and data',
  async () => {
    const world = await makeWorld(await urlOf(), platformKey, { files: { 'a.txt': 'kept\n' } });
    deployment.up();
    deployment.run('down', '--timeout', '12');
    deployment.up();
    await deployment.healthy();
    expect(deployment.read('keys-platform', 'platform-api-key')).toBe(platformKey);
    const { status, text } = await new Api(await urlOf(), world.admin.key).get(
      `/v1/workspaces/${world.workspaceId}/files/a.txt`,
    );
    expect([status, text]).toEqual([200, 'kept\n']);
  },
  10 * MINUTE_MS,
);
