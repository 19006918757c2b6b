// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bus } from '@writ/bus';
import { natsBus, natsServerConfig, workLanesOf } from '@writ/bus-nats';
import type { Process } from '@writ/contract';
import {
  freePort,
  startNatsServer,
  testAddress,
  testDatabase,
  type TestDatabase,
  type TestNatsServer,
} from '@writ/testing';
import { makeKeys, type StackKeys } from './keys.ts';
import { logTailOf, logsOf, runningStacks } from './process-logs.ts';
import { Proxy } from './proxy.ts';
import { Service } from './service.ts';

export const DEPLOYMENT = 'writ.test';
export const SHARD = 's0';
const ORDER: readonly Process[] = ['ledger', 'kernel', 'executor', 'orchestrator'];

export interface StackOptions {
  /** further variables of a process */
  readonly env?: Partial<Record<Process, Readonly<Record<string, string>>>>;
  /** processes that reach the bus through their own proxy */
  readonly busProxies?: readonly Process[];
  /** processes that are not started */
  readonly without?: readonly Process[];
  /** programs that replace a process's own */
  readonly programs?: Partial<Record<Process, readonly string[]>>;
  /** a database with the schema; a new one unless given */
  readonly database?: TestDatabase;
}

/** The part of a Writ that specs may use when they share it: it stops, freezes and changes no process. */
export interface SharedStack {
  readonly url: string;
  /** The memory file of the first ledger. */
  readonly memoryFile: string;
  readonly keys: Pick<StackKeys, 'platformKey' | 'publicKeysFile'>;
  readonly database: Pick<TestDatabase, 'ownerUrl'>;
  /** The process id of each process by its name; null where it does not run. */
  readonly pids: () => Readonly<Record<string, number | null>>;
  /** The last log lines of every process, and whether it runs: shown with a failed test. */
  readonly logTails: () => string;
}

/** A whole Writ for one spec: real Postgres, NATS, Docker, and the four processes. */
export interface Stack extends SharedStack {
  readonly folder: string;
  readonly keys: StackKeys;
  readonly database: TestDatabase;
  readonly nats: TestNatsServer;
  readonly services: Readonly<Record<Process, Service>>;
  readonly busProxy: (name: Process) => Proxy;
  /** A connection to the bus as that process's user, with its rights. The test closes it. */
  readonly busAs: (name: Process) => Promise<Bus>;
  /** The end of every process's log. */
  readonly logs: () => string;
  /** Starts one more process of a kind, with an environment like the first one's. */
  readonly another: (
    name: Process,
    env?: Readonly<Record<string, string>>,
    program?: readonly string[],
  ) => Promise<Service>;
  readonly stop: () => Promise<void>;
}

/** The password of a process's user on the bus. */
export const passwordOf = (name: string): string => `password-of-${name}-0123456789`;

/** Starts a stack; where a part of it does not start, the other parts are stopped. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const cleanUps: (() => unknown)[] = [];
  // Parts end in reverse order, even where one fails.
  const stop = async (): Promise<void> => {
    const errors: unknown[] = [];
    for (const cleanUp of cleanUps.splice(0).reverse())
      await Promise.resolve()
        .then(cleanUp)
        .catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw new AggregateError(errors, 'a part of a stack did not end');
  };
  try {
    return await buildStack(options, cleanUps, stop);
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
}

async function buildStack(
  options: StackOptions,
  cleanUps: (() => unknown)[],
  stop: () => Promise<void>,
): Promise<Stack> {
  const folder = mkdtempSync(join(tmpdir(), 'writ-stack-'));
  cleanUps.push(() => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  const keys = makeKeys(join(folder, 'keys'), DEPLOYMENT);
  const database = options.database ?? (await testDatabase());
  if (!options.database) cleanUps.push(() => database.drop());
  const nats = await startNatsServer((place) =>
    natsServerConfig({
      ...place,
      serverName: 'writ-test',
      shard: SHARD,
      users: Object.fromEntries(ORDER.map((name) => [name, passwordOf(name)])) as Record<Process, string>,
    }),
  );
  cleanUps.push(() => nats.stop());
  const proxies = new Map<Process, Proxy>();
  cleanUps.push(async () => {
    for (const proxy of proxies.values()) await proxy.close();
  });
  for (const name of options.busProxies ?? [])
    proxies.set(name, await Proxy.to({ host: '127.0.0.1', port: nats.port }));
  const httpPort = await freePort();
  const environment = async (name: Process, own: Readonly<Record<string, string>> = {}) => ({
    ...common(name, proxies.get(name)?.port ?? nats.port),
    WRIT_OPS_PORT: String(await freePort()),
    ...particular(name, { folder, keys, database, httpPort }),
    ...options.env?.[name],
    ...own,
  });
  const all: Service[] = [];
  cleanUps.push(async () => {
    for (const service of all.toReversed()) {
      service.thaw();
      await service.kill();
    }
  });
  const add = async (
    name: Process,
    logName: string,
    own: Readonly<Record<string, string>> = {},
    program = options.programs?.[name],
  ): Promise<Service> => {
    const service = new Service(name, await environment(name, own), join(folder, `${logName}.log`), program);
    all.push(service);
    return service;
  };
  const services = {} as Record<Process, Service>;
  for (const name of ORDER) services[name] = await add(name, name);
  const stack: Stack = {
    url: `http://127.0.0.1:${httpPort}`,
    folder,
    memoryFile: memoryFileIn(folder),
    keys,
    database,
    nats,
    services,
    stop,
    busAs: (name) =>
      natsBus({ url: nats.url, user: name, password: passwordOf(name), lanes: workLanesOf(SHARD), keepsLanes: false }),
    pids: () => Object.fromEntries(all.map((service) => [service.name, service.isRunning ? service.pid : null])),
    busProxy: (name) => proxies.get(name) ?? fail(`no proxy was configured for ${name}`),
    another: async (name, own = {}, program) => {
      const service = await add(name, `${name}-${all.length + 1}`, own, program);
      await service.start();
      return service;
    },
    logs: () => logsOf(all),
    logTails: () => logTailOf(all),
  };
  runningStacks().add(stack);
  cleanUps.push(() => runningStacks().delete(stack));
  await Promise.all(ORDER.filter((name) => !options.without?.includes(name)).map((name) => services[name].start()));
  return stack;
}

const fail = (message: string): never => {
  throw new Error(message);
};

function common(name: Process, natsPort: number): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    NODE_ENV: 'production',
    WRIT_DEPLOYMENT: DEPLOYMENT,
    WRIT_SHARD: SHARD,
    WRIT_NATS_URL: `nats://127.0.0.1:${natsPort}`,
    WRIT_NATS_USER: name,
    WRIT_OPS_HOST: '127.0.0.1',
  };
}

function secretFile(folder: string, name: string, secret: string): string {
  const path = join(folder, name);
  writeFileSync(path, secret, { mode: 0o600 });
  return path;
}

interface Place {
  folder: string;
  keys: StackKeys;
  database: TestDatabase;
  httpPort: number;
}

/** The folder of the ledger's memory file. */
const memoryFileIn = (folder: string): string => join(folder, 'ledger', 'signed');

function particular(name: Process, { folder, keys, database, httpPort }: Place): Record<string, string> {
  const natsPassword = { WRIT_NATS_PASSWORD_FILE: secretFile(folder, `nats-${name}`, passwordOf(name)) };
  switch (name) {
    case 'ledger':
      return {
        ...natsPassword,
        WRIT_LEDGER_DATABASE_URL: database.urlFor('writ_ledger'),
        WRIT_CHECKPOINT_KEY_FILE: keys.file('checkpoint.json'),
        WRIT_RECORD_PUBLIC_KEYS_FILE: keys.file('record-keys.json'),
        WRIT_LEDGER_MEMORY_FILE: memoryFileIn(folder),
      };
    case 'kernel':
      return {
        ...natsPassword,
        WRIT_KERNEL_DATABASE_URL: database.urlFor('writ_kernel'),
        WRIT_KERNEL_WORKER_DATABASE_URL: database.urlFor('writ_kernel_worker'),
        WRIT_PERMIT_KEY_FILE: keys.file('permit.json'),
        WRIT_RECORD_KEY_FILE: keys.file('record.json'),
        WRIT_CHECKPOINT_PUBLIC_KEYS_FILE: keys.file('checkpoint-keys.json'),
        WRIT_MASTER_KEY_FILE: keys.file('master.key'),
        WRIT_SANDBOX_IMAGE_DIGEST: testAddress('WRIT_TEST_SANDBOX_IMAGE_DIGEST'),
      };
    case 'executor':
      return {
        ...natsPassword,
        WRIT_EXECUTOR_DATABASE_URL: database.urlFor('writ_executor'),
        WRIT_PERMIT_PUBLIC_KEYS_FILE: keys.file('permit-keys.json'),
        WRIT_SANDBOX_IMAGE_DIGEST: testAddress('WRIT_TEST_SANDBOX_IMAGE_DIGEST'),
        WRIT_SANDBOX_LABEL: testAddress('WRIT_TEST_LABEL'),
        DOCKER_HOST: testAddress('DOCKER_HOST'),
        WRIT_CACHE_DIR: join(folder, 'cache'),
        WRIT_POOL_SIZE: '1',
      };
    case 'orchestrator':
      return {
        ...natsPassword,
        WRIT_HTTP_HOST: '127.0.0.1',
        WRIT_HTTP_PORT: String(httpPort),
        WRIT_ORCHESTRATOR_DATABASE_URL: database.urlFor('writ_orchestrator'),
        WRIT_PLATFORM_KEY_HASH_FILE: keys.file('platform-key.sha256'),
        WRIT_RECORD_PUBLIC_KEYS_FILE: keys.file('record-keys.json'),
        WRIT_LOG_PUBLIC_KEYS_FILE: keys.file('log-keys.json'),
        WRIT_WEBHOOK_KEY_FILE: keys.file('webhook.key'),
      };
  }
}
