// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcess } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build as bundle } from 'esbuild';
import { natsServerConfig } from '@writ/bus-nats';
import { freshService, testAddress, testDatabase, type TestDatabase } from '@writ/testing';
import Docker from 'dockerode';
import { PROGRAMS } from '../build/bundle-services.ts';
import { dockerAt } from '../parts/docker.ts';
import { freePorts } from '../parts/ports.ts';
import { checkout, makeSetup } from '../setup.ts';
import { SERVICES, type ServiceName } from '../supervisor/services.ts';
import { readRelease } from './release.ts';
import { Containers } from './specs/containers.ts';
import { buildWritImage } from './writ-image.ts';

const BUILD_MS = 300_000;
const READY_MS = 60_000;
const HOST = testAddress('DOCKER_HOST');

let dir: string;
let docker: Docker;
let containers: Containers;
const ref = `writ:spec-${String(process.pid)}`;

let first: Docker.ImageInspectInfo;
/** Without the cache: a cached build would prove nothing. */
const build = async (): Promise<Docker.ImageInspectInfo> => {
  const setup = makeSetup(join(dir, 'state'), join(dir, 'cache'), process.env, () => undefined);
  const { id } = await buildWritImage(setup, {
    docker,
    ref,
    fresh: true,
    release: readRelease(setup),
    out: join(dir, 'out'),
  });
  return await docker.getImage(id).inspect();
};

beforeAll(async () => {
  for (const program of PROGRAMS) freshService(checkout, program);
  dir = mkdtempSync(join(tmpdir(), 'writ-image-'));
  docker = dockerAt(HOST);
  first = await build();
  containers = new Containers(docker, ref, testAddress('WRIT_TEST_LABEL'));
}, BUILD_MS);
afterAll(async () => {
  await containers.removeAll();
  await docker.getImage(ref).remove({ force: true });
  rmSync(dir, { recursive: true });
});

describe('the image of the services', () => {
  it(
    'has the same layers when it is built again without a cache',
    async () => {
      expect(first.RootFS.Layers?.length).toBeGreaterThan(2);
      expect((await build()).RootFS.Layers).toEqual(first.RootFS.Layers);
    },
    BUILD_MS,
  );

  it('is labelled with its origin, and runs as an unprivileged user', async () => {
    const { Config } = await docker.getImage(ref).inspect();
    const release = readRelease({ checkout, env: process.env });
    expect(Config).toMatchObject({
      User: '10001:10001',
      WorkingDir: '/opt/writ',
      Entrypoint: ['/usr/local/bin/node', '--enable-source-maps'],
      Labels: {
        'org.opencontainers.image.version': release.version,
        'org.opencontainers.image.revision': release.revision,
        'org.opencontainers.image.licenses': 'Apache-2.0',
        'org.opencontainers.image.created': release.date.toISOString().replace('.000Z', 'Z'),
      },
    });
  });

  it.each(['/bin/sh', '/bin/bash', '/usr/bin/env', '/usr/bin/perl'])('has no `%s`', async (program) => {
    await expect(containers.run({ args: [], entrypoint: [program] })).rejects.toThrow(/no such file/);
  });

  it('embeds a text without a shell, or says that it was built without the model', async () => {
    const folder = join(dir, 'embedder');
    await bundle({
      stdin: { contents: EMBED, resolveDir: checkout, sourcefile: 'embed.mjs' },
      outfile: join(folder, 'embed.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      conditions: ['@writ/source'],
      external: ['onnxruntime-node', '*.node'],
      // As for the services: of a package in two formats, the one whose imports a bundler can resolve.
      mainFields: ['module', 'main'],
    });
    const { status, output } = await containers.run({ args: ['/spec/embed.mjs'], binds: [`${folder}:/spec:ro`] });
    const answer = JSON.parse(output) as { readonly hasModel: boolean };
    // Another reason than `missing` would mean that the process of the model did not even start.
    expect([status, answer]).toEqual([
      0,
      answer.hasModel ? { hasModel: true, dimensions: [384] } : { hasModel: false, reason: 'missing' },
    ]);
  });

  it.each(SERVICES)(
    'starts the %s without network or writable files, which names its missing settings',
    async (service) => {
      const { status, output } = await containers.run({ args: [`services/${service}/main.js`] });
      expect([status, output]).toEqual([
        1,
        expect.stringMatching(/^the environment is not as it should be:\n {2}WRIT_NATS_URL is not set/),
      ]);
    },
  );

  it('holds what the setup program needs', async () => {
    const help = await containers.run({ args: ['services/setup/main.js', '--help'] });
    expect([help.status, help.output]).toEqual([0, expect.stringContaining('migrate')]);
    const migrate = await containers.run({ args: ['services/setup/main.js', 'migrate'] });
    expect([migrate.status, migrate.output]).toEqual([
      1,
      expect.stringContaining('WRIT_ADMIN_DATABASE_URL is not set'),
    ]);
  });
});

describe('the services in the image', () => {
  let database: TestDatabase;
  let nats: ChildProcess;
  const made: Partial<Record<ServiceName, number>> = {};

  /** Keys from the setup program in the image, and a NATS with them. */
  async function ground(): Promise<{ keys: string; natsPort: number; ops: readonly number[] }> {
    const [natsPort = 0, ...ops] = await freePorts(1 + SERVICES.length);
    const keys = join(dir, 'keys');
    mkdirSync(keys);
    chownSync(keys, 10_001, 10_001);
    const { status, output } = await containers.run({
      args: ['services/setup/main.js', 'keys', '--out', '/keys'],
      binds: [`${keys}:/keys`],
    });
    expect([status, output]).toEqual([0, expect.stringContaining('key sets were made')]);
    const users = Object.fromEntries(SERVICES.map((name) => [name, passwordOf(keys, name)])) as Record<
      ServiceName,
      string
    >;
    const config = join(dir, 'nats.conf');
    writeFileSync(
      config,
      natsServerConfig({
        host: '127.0.0.1',
        port: natsPort,
        storeDir: join(dir, 'jetstream'),
        serverName: 'spec',
        shard: 's0',
        users,
      }),
    );
    nats = spawn(testAddress('WRIT_TEST_NATS_SERVER'), ['--config', config], { stdio: 'ignore' });
    return { keys, natsPort, ops };
  }

  const own = (service: ServiceName): Record<string, string> =>
    ({
      ledger: {
        WRIT_LEDGER_DATABASE_URL: database.urlFor('writ_ledger'),
        WRIT_CHECKPOINT_KEY_FILE: '/etc/writ/keys/checkpoint.json',
        WRIT_RECORD_PUBLIC_KEYS_FILE: '/etc/writ/public/record-keys.json',
        WRIT_LEDGER_MEMORY_FILE: '/var/lib/writ/ledger/signed-roots',
      },
      kernel: {
        WRIT_KERNEL_DATABASE_URL: database.urlFor('writ_kernel'),
        WRIT_KERNEL_WORKER_DATABASE_URL: database.urlFor('writ_kernel_worker'),
        WRIT_PERMIT_KEY_FILE: '/etc/writ/keys/permit.json',
        WRIT_RECORD_KEY_FILE: '/etc/writ/keys/record.json',
        WRIT_MASTER_KEY_FILE: '/etc/writ/keys/master.key',
        WRIT_CHECKPOINT_PUBLIC_KEYS_FILE: '/etc/writ/public/checkpoint-keys.json',
        WRIT_SANDBOX_IMAGE_DIGEST: testAddress('WRIT_TEST_SANDBOX_IMAGE_DIGEST'),
      },
      executor: {
        WRIT_EXECUTOR_DATABASE_URL: database.urlFor('writ_executor'),
        WRIT_PERMIT_PUBLIC_KEYS_FILE: '/etc/writ/public/permit-keys.json',
        WRIT_CACHE_DIR: '/var/cache/writ',
        WRIT_SANDBOX_IMAGE_DIGEST: testAddress('WRIT_TEST_SANDBOX_IMAGE_DIGEST'),
        WRIT_SANDBOX_LABEL: testAddress('WRIT_TEST_LABEL'),
        WRIT_POOL_SIZE: '1',
        WRIT_POOL_PREPOPULATED: '0',
      },
      orchestrator: {
        WRIT_ORCHESTRATOR_DATABASE_URL: database.urlFor('writ_orchestrator'),
        WRIT_PLATFORM_KEY_HASH_FILE: '/etc/writ/keys/platform-key.sha256',
        WRIT_WEBHOOK_KEY_FILE: '/etc/writ/keys/webhook.key',
        WRIT_RECORD_PUBLIC_KEYS_FILE: '/etc/writ/public/record-keys.json',
        WRIT_LOG_PUBLIC_KEYS_FILE: '/etc/writ/public/log-keys.json',
      },
    })[service];

  afterAll(async () => {
    await containers.removeAll();
    nats.kill();
    await database.drop();
    for (const [service, ms] of Object.entries(made))
      console.log(`${service}: ready ${(ms / 1_000).toFixed(1)} s after its container was created`);
  });

  it(
    'become ready, all four, with read-only roots and no capabilities',
    async () => {
      database = await testDatabase();
      const { keys, natsPort, ops } = await ground();
      const socket = HOST.replace('unix://', '');
      for (const [index, service] of SERVICES.entries()) {
        const began = performance.now();
        const port = ops[index] ?? 0;
        const container = await containers.start({
          args: [`services/${service}/main.js`],
          network: 'host',
          writable: ['/tmp', '/var/cache/writ', '/var/lib/writ/ledger'],
          binds: [
            `${keys}/${service}:/etc/writ/keys:ro`,
            `${keys}/public-keys:/etc/writ/public:ro`,
            ...(service === 'executor' ? [`${socket}:/var/run/docker.sock`] : []),
          ],
          ...(service === 'executor' ? { group: statSync(socket).gid } : {}),
          env: {
            WRIT_NATS_URL: `nats://127.0.0.1:${natsPort}`,
            WRIT_NATS_PASSWORD_FILE: '/etc/writ/keys/nats-password',
            WRIT_OPS_PORT: String(port),
            ...own(service),
          },
        });
        await becomesReady(container, port, began + READY_MS);
        made[service] = performance.now() - began;
        const { State } = await container.inspect();
        expect(State.Running).toBe(true);
      }
    },
    READY_MS * SERVICES.length,
  );

  async function becomesReady(container: Docker.Container, port: number, until: number): Promise<void> {
    for (;;) {
      const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isReady) return;
      const { State } = await container.inspect();
      if (!State.Running || performance.now() > until)
        throw new Error(`not ready: ${await containers.logsOf(container)}`);
      await sleep(50);
    }
  }
});

/** Embeds one text by the program of the model that the image has. */
const EMBED = `
  import { hasModel, OnnxEmbedder } from '@writ/embedding-onnx';
  const modelDir = process.env.WRIT_EMBEDDING_MODEL_DIR;
  const embedder = new OnnxEmbedder({ modelDir, program: new URL('file:///opt/writ/services/executor/engine-program.js') });
  const answer = await embedder.embed(['tea']).then(
    (vectors) => ({ dimensions: vectors.map(({ length }) => length) }),
    ({ reason }) => ({ reason }),
  );
  console.log(JSON.stringify({ hasModel: await hasModel(modelDir), ...answer }));
  await embedder.close();
`;

const passwordOf = (keys: string, process: string): string =>
  readFileSync(join(keys, process, 'nats-password'), 'utf8');
