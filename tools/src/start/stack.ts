// SPDX-License-Identifier: Apache-2.0
import { natsServerConfig } from '@writ/bus-nats';
import { build } from '../build.ts';
import { docker, type Engine } from '../parts/docker.ts';
import { ensureBase } from '../parts/image-base.ts';
import { ensureSandboxImage, type SandboxImage } from '../parts/image.ts';
import { ensureKeys, type Keys } from '../parts/keys.ts';
import { nats, type Nats } from '../parts/nats.ts';
import { freePorts, nextFreePort } from '../parts/ports.ts';
import { postgres, type Postgres } from '../parts/postgres.ts';
import { ensureSchema, type Schema } from '../parts/schema.ts';
import type { Child } from '../process/launch.ts';
import { runPlan, type Plan } from '../steps.ts';
import { SetupError } from '../setup-error.ts';
import type { Setup } from '../setup.ts';
import type { KeptService } from '../supervisor/keep-running.ts';
import { SERVICES, serviceEnvironments, type ServiceName, type Variables } from '../supervisor/services.ts';
import { startService, startServices } from '../supervisor/start-services.ts';

/** A running Writ. */
export interface Stack {
  readonly url: string;
  readonly keys: Keys;
  /** The four services, each of which can be started again. */
  readonly services: readonly KeptService[];
  /**
   * Postgres, NATS and Docker where they are our own. Their end is the end of the run: they hold what the services
   * need.
   */
  readonly parts: readonly Child[];
}

/** In checkpoints' names and receipts; a deployment for others has one of its own. */
const DEPLOYMENT = 'writ.local';
const SHARD = 's0';
const HTTP_PORT = 7480;
const NATS_USERS = ['orchestrator', 'kernel', 'executor', 'ledger'] as const;

/** What the steps leave for each other. */
interface Made {
  database?: Postgres;
  bus?: Nats;
  engine?: Engine;
  base?: string;
  image?: SandboxImage;
  keys?: Keys;
  schema?: Schema;
  services?: readonly KeptService[];
  httpPort?: number;
}

/** Steps run in order, so a later one finds what an earlier one made. */
const made = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('a step of the set-up ran before the one it needs');
  return value;
};

const localNats = nats({
  users: NATS_USERS,
  config: ({ port, storeDir, passwords }) =>
    natsServerConfig({
      host: '127.0.0.1',
      port,
      storeDir,
      serverName: 'writ-local',
      shard: SHARD,
      users: Object.fromEntries(NATS_USERS.map((user) => [user, passwords[user] ?? ''])) as Record<
        (typeof NATS_USERS)[number],
        string
      >,
    }),
});

const wantedPort = (env: Setup['env']): number => {
  const text = env['WRIT_HTTP_PORT'];
  if (!text) return HTTP_PORT;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new SetupError(`WRIT_HTTP_PORT is \`${text}\`, which is no port`);
  return port;
};

/** The environments of the services: a service that is started again has the same one, its ports included. */
const environmentsOf = async (setup: Setup, state: Made): Promise<Readonly<Record<ServiceName, Variables>>> => {
  const ports = await freePorts(SERVICES.length);
  const httpPort = await nextFreePort(wantedPort(setup.env));
  state.httpPort = httpPort;
  return serviceEnvironments({
    stateDir: setup.stateDir,
    deployment: DEPLOYMENT,
    shard: SHARD,
    httpPort,
    opsPorts: Object.fromEntries(SERVICES.map((name, index) => [name, ports[index]])) as Record<ServiceName, number>,
    nats: made(state.bus),
    schema: made(state.schema),
    keys: made(state.keys),
    dockerHost: made(state.engine).host,
    label: setup.stateId,
    image: made(state.image),
    env: setup.env,
  });
};

/** `setup` reports below the step that is going on; `run`, to the terminal, where a restart is shown. */
const startAll = async (setup: Setup, run: Setup, state: Made): Promise<KeptService[]> => {
  const environments = await environmentsOf(setup, state);
  const children = await startServices(setup, environments);
  const start = (name: ServiceName) => () => startService(run, name, environments[name]);
  return SERVICES.map((name, index) => ({ child: made(children[index]), start: start(name) }));
};

const plan = (run: Setup, state: Made): Plan => [
  {
    title: postgres.name,
    run: async (setup) => {
      state.database = await postgres.ensure(setup);
    },
  },
  {
    title: localNats.name,
    run: async (setup) => {
      state.bus = await localNats.ensure(setup);
    },
  },
  {
    title: docker.name,
    run: async (setup) => {
      state.engine = await docker.ensure(setup);
      return state.engine.own ? 'our own' : state.engine.host;
    },
  },
  [
    { title: 'Build', run: (setup) => build(setup.env, setup.report) },
    {
      title: 'Sandbox base image',
      run: async (setup) => {
        state.base = await ensureBase(setup, made(state.engine).docker);
      },
    },
  ],
  {
    title: 'Keys and schema',
    run: async (setup) => {
      state.keys = ensureKeys(setup, DEPLOYMENT);
      state.schema = await ensureSchema(setup, made(state.database).url, state.keys.rolePasswords);
    },
  },
  {
    title: 'Sandbox image',
    run: async (setup) => {
      state.image = await ensureSandboxImage(setup, made(state.engine).docker, made(state.base));
    },
  },
  {
    title: 'Services',
    run: async (setup) => {
      state.services = await startAll(setup, run, state);
      return SERVICES.join(', ');
    },
  },
];

/** Brings up everything, step by step. */
export const startStack = async (setup: Setup): Promise<Stack> => {
  const state: Made = {};
  await runPlan(setup, plan(setup, state));
  const parts = [state.database, state.bus, state.engine]
    .map((part) => part?.child)
    .filter((child) => child !== null && child !== undefined);
  return {
    url: `http://127.0.0.1:${made(state.httpPort)}`,
    keys: made(state.keys),
    services: made(state.services),
    parts,
  };
};
