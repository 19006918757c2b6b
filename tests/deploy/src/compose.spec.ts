// SPDX-License-Identifier: Apache-2.0
// deploy/compose as an operator starts it, on a real engine. It runs on request: `npm test -- --only deploy`.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api, closedLoad, expectNothingLost, makeWorld, PATIENT, type Ended, type World } from '@writ/stack';
import { repositoryRoot } from '@writ/testing';
import { Deployment, KEPT, must, type Kept } from './compose.ts';

const MINUTE_MS = 60_000;
const ROOT = repositoryRoot();
/** How long calls continue after a container went down. */
const AFTER_MS = 5_000;

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
  must(['npm', 'run', '--silent', 'images', '--', '--parts', '--env', envFile], { cwd: ROOT });
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
  'the main job passes as it does with `npm start`',
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
    const output = must([
      process.execPath,
      ...flags,
      join(ROOT, 'tools/src/job/main.ts'),
      await urlOf(),
      platformKey,
      state,
    ]);
    const { expectations } = JSON.parse(output) as { expectations: { what: string; met: boolean; found: string }[] };
    expect(expectations.length).toBeGreaterThan(8);
    expect(expectations.filter(({ met }) => !met)).toEqual([]);
  },
  5 * MINUTE_MS,
);

it('every container runs with a read-only root, without capabilities, as an unprivileged user', async () => {
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

it('each service has only its own keys', async () => {
  for (const service of ['ledger', 'kernel', 'executor', 'orchestrator']) {
    const { Mounts } = await deployment.docker.getContainer((await deployment.container(service)).Id).inspect();
    const keys = Mounts.map(({ Name = '' }) => /_(keys-.+)$/.exec(Name)?.[1]).filter((name) => name !== undefined);
    expect(keys).toEqual([`keys-${service}`]);
  }
});

/** The database as its administrator, from outside the deployment's network. */
const databaseUrl = async (): Promise<string> =>
  `postgres://postgres:${databasePassword}@${await deployment.addressOf('postgres')}:5432/writ?sslmode=no-verify`;

async function expectSound(world: World, ends: readonly Ended[]): Promise<void> {
  expect(ends.filter(({ outcome }) => outcome === 'committed').length).toBeGreaterThan(5);
  // A call may lose three executors; then it fails, and leaves nothing behind.
  const others = ends.filter(({ outcome }) => outcome !== 'committed');
  for (const { outcome, code } of others) expect([outcome, code]).toEqual(['rolled_back', 'attempts.exhausted']);
  const keys = { publicKeysFile: join(dir, 'public-keys.json') };
  await expectNothingLost({ database: { ownerUrl: await databaseUrl() }, keys }, world, ends);
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
])('no call is lost under load when a container %s', (_how, act) => {
  it.each(KEPT)(
    '%s',
    async (service) => {
      const world = await makeWorld(await urlOf(), platformKey, { files: { 'a.txt': 'one\n' } });
      const loading = closedLoad(world, ['fs.write', 'shell.run'], PATIENT);
      await sleep(2_000);
      await act(service);
      await deployment.healthy([service]);
      await sleep(AFTER_MS);
      await expectSound(world, await loading.stop());
    },
    10 * MINUTE_MS,
  );
});

it(
  'keys and data survive a second `up` and a restart of everything',
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
