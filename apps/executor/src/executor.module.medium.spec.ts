// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryBus } from '@writ/bus';
import { Lifetime, Readiness, type ReadinessReport } from '@writ/nest-kit';
import { parseSigner } from '@writ/signing';
import { startTelemetry } from '@writ/telemetry';
import { testDatabase, type TestDatabase } from '@writ/testing';
import { vi } from 'vitest';
import { Environment, type ExecutorConfig } from './config.env.ts';
import { ExecutorModule } from './executor.module.ts';

let database: TestDatabase;
let folder: string;
let socket: string;
let engine: Server | null;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  [folder, engine] = [mkdtempSync(join(tmpdir(), 'writ-executor-')), null];
  socket = join(folder, 'engine.sock');
  const { keyid, publicJwk } = parseSigner(
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  );
  writeFileSync(join(folder, 'keys.json'), JSON.stringify({ keys: [{ keyid, jwk: publicJwk }] }));
});
afterEach(async () => {
  await endEngine();
  rmSync(folder, { recursive: true });
});

/** An engine without containers that answers every request. */
async function startEngine(): Promise<void> {
  engine = createServer((request, response) => {
    if (request.url?.startsWith('/events')) response.writeHead(200).flushHeaders();
    else response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
  }).listen(socket);
  await once(engine, 'listening');
}

async function endEngine(): Promise<void> {
  const ending = engine;
  engine = null;
  if (ending === null) return;
  ending.closeAllConnections();
  await new Promise((resolve) => ending.close(resolve));
}

interface Running {
  readonly readinessReport: () => Promise<ReadinessReport>;
  readonly stop: () => Promise<void>;
}

async function startExecutor(over: Partial<ExecutorConfig> = {}): Promise<Running> {
  const config = {
    WRIT_SHARD: 's0',
    WRIT_EXECUTOR_DATABASE_URL: database.urlFor('writ_executor'),
    WRIT_PERMIT_PUBLIC_KEYS_FILE: join(folder, 'keys.json'),
    WRIT_SANDBOX_DRIVER: 'docker',
    DOCKER_HOST: `unix://${socket}`,
    WRIT_SANDBOX_IMAGE_DIGEST: `sha256:${'1'.repeat(64)}`,
    WRIT_SANDBOX_LABEL: 'test',
    WRIT_CACHE_DIR: join(folder, 'cache'),
    WRIT_CACHE_BYTES: 1_048_576,
    WRIT_POOL_SIZE: 0,
    WRIT_POOL_PREPOPULATED: 0,
    WRIT_SLOTS_INLINE: 1,
    WRIT_SLOTS_SANDBOXED: 1,
    WRIT_SLOTS_BROKER: 0,
    WRIT_SESSIONS: 1,
    WRIT_SESSION_IDLE_MS: 1_000,
    WRIT_OUTPUT_HEARD_BYTES: 0,
    WRIT_RESOURCE_HOSTS: '',
    WRIT_DRAIN_MS: 0,
    ...over,
  } as unknown as ExecutorConfig;
  const telemetry = startTelemetry({ service: 'executor', version: '0', destination: { write: () => undefined } });
  const [bus, readiness] = [memoryBus({ now: Date.now }), new Readiness()];
  const { providers } = await ExecutorModule.with(config, {
    bus,
    logger: telemetry.logger('fatal'),
    telemetry,
    readiness,
  });
  readiness.started();
  const lifetime = (providers as { readonly provide: unknown; readonly useValue: unknown }[]).find(
    ({ provide }) => provide === Lifetime,
  )?.useValue as Lifetime;
  return {
    readinessReport: () => readiness.look(),
    stop: async () => {
      await lifetime.onModuleDestroy();
      await Promise.all([bus.close(), telemetry.shutdown()]);
    },
  };
}

it('an executor is ready while its engine answers, names the setting to check while it does not, and recovers without a restart', async () => {
  await startEngine();
  const { readinessReport, stop } = await startExecutor();
  expect(await readinessReport()).toEqual({ ready: true, checks: { database: 'ok', sandbox_engine: 'ok' } });
  await endEngine();
  await vi.waitFor(
    async () =>
      expect(await readinessReport()).toEqual({
        ready: false,
        checks: {
          database: 'ok',
          sandbox_engine: 'no engine answers at DOCKER_HOST: start the engine, or set DOCKER_HOST to where it is',
        },
      }),
    10_000,
  );
  await startEngine();
  await vi.waitFor(async () => expect(await readinessReport()).toMatchObject({ ready: true }), 10_000);
  await stop();
});

it('an executor that starts without an engine waits for one, and is not ready meanwhile', async () => {
  const { readinessReport, stop } = await startExecutor();
  expect(await readinessReport()).toMatchObject({
    ready: false,
    checks: { sandbox_engine: expect.stringContaining('DOCKER_HOST') },
  });
  await startEngine();
  await vi.waitFor(async () => expect(await readinessReport()).toMatchObject({ ready: true }), 10_000);
  await stop();
});

it('an executor starts with each number of its settings at its minimum', async () => {
  await startEngine();
  const numbers = Object.entries(
    Environment.properties as Readonly<Record<string, { readonly type?: string; readonly minimum?: number }>>,
  ).filter(([, { type, minimum }]) => type === 'integer' && minimum !== undefined);
  const { readinessReport, stop } = await startExecutor(
    Object.fromEntries(numbers.map(([name, { minimum }]) => [name, minimum])),
  );
  expect(numbers.map(([name]) => name)).toContain('WRIT_CACHE_BYTES');
  expect(await readinessReport()).toMatchObject({ ready: true });
  await stop();
});

it('an executor that runs no commands needs no engine', async () => {
  const { readinessReport, stop } = await startExecutor({ WRIT_SLOTS_SANDBOXED: 0 });
  expect(await readinessReport()).toEqual({ ready: true, checks: { database: 'ok' } });
  await stop();
});
