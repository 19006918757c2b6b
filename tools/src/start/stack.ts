// SPDX-License-Identifier: Apache-2.0
import { natsServerConfig } from '@writ/bus-nats';
import { build } from '../build.ts';
import { docker, type Engine } from '../parts/docker.ts';
import { ensureEmbeddingModel } from '../embedding-model/ensure.ts';
import { ensureBase } from '../parts/image-base.ts';
import { ensureSandboxImage, type SandboxImage } from '../parts/image.ts';
import { ensureKeys, type Keys } from '../parts/keys.ts';
import { nats, type Nats } from '../parts/nats.ts';
import { consoleSettings, loopbackUrl } from './console.ts';
import { writeModelsFile } from './models.ts';
import { freePorts, nextFreePort } from '../parts/ports.ts';
import { postgres, type Postgres } from '../parts/postgres.ts';
import { ensureSchema, type Schema } from '../parts/schema.ts';
import { findSpeechModel } from '../speech-model/ensure.ts';
import type { Child } from '../process/launch.ts';
import { runPlan, type Plan, type Step } from '../steps.ts';
import { SetupError } from '../setup-error.ts';
import type { Setup } from '../setup.ts';
import type { RunningService } from '../supervisor/keep-running.ts';
import { SERVICES, serviceEnvironments, type ServiceName, type Variables } from '../supervisor/services.ts';
import { startService, startServices } from '../supervisor/start-services.ts';

/** A running Writ. */
export interface Stack {
  /** of the API, for programs on this machine */
  readonly url: string;
  /** at which browsers reach it */
  readonly publicUrl: string;
  readonly keys: Keys;
  /** The four services, each of which can be restarted. */
  readonly services: readonly RunningService[];
  /** Our own Postgres, NATS and Docker. When one ends, the run ends: they contain the services' data. */
  readonly parts: readonly Child[];
}

/** Used in checkpoints and receipts; a deployment for others has its own. */
const DEPLOYMENT = 'writ.local';
const SHARD = 's0';
const HTTP_PORT = 7480;
const NATS_USERS = ['orchestrator', 'kernel', 'executor', 'ledger'] as const;

/** Results of earlier steps for later ones. */
interface Made {
  database?: Postgres;
  bus?: Nats;
  engine?: Engine;
  base?: string;
  image?: SandboxImage;
  keys?: Keys;
  /** the folder of the model of speech; absent where it can't be had */
  speechModelDir?: string | undefined;
  schema?: Schema;
  embeddingModelDir?: string;
  services?: readonly RunningService[];
  httpPort?: number;
  publicUrl?: string;
}

/** Steps run in order, so a later one can use results of earlier ones. */
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

/** The environments of the services: a restarted service gets the same one, with the same ports. */
const environmentsOf = async (setup: Setup, state: Made): Promise<Readonly<Record<ServiceName, Variables>>> => {
  const ports = await freePorts(SERVICES.length);
  const httpPort = await nextFreePort(wantedPort(setup.env));
  state.httpPort = httpPort;
  const env = { ...setup.env, ...consoleSettings(setup.env, httpPort) };
  state.publicUrl = env.WRIT_PUBLIC_URL;
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
    ...(state.embeddingModelDir === undefined ? {} : { embeddingModelDir: state.embeddingModelDir }),
    ...(state.speechModelDir === undefined ? {} : { speechModelDir: state.speechModelDir }),
    env: { ...env, WRIT_MODELS_FILE: setup.env['WRIT_MODELS_FILE'] || writeModelsFile(setup) },
  });
};

/** Writ works without the model: information stores then find words alone. */
const getEmbeddingModel = async (setup: Setup, state: Made): Promise<string | undefined> => {
  try {
    state.embeddingModelDir = await ensureEmbeddingModel(setup);
    return undefined;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    return `not there, so information stores find words alone (${error.message})`;
  }
};

const sandboxBase = (state: Made): Step => ({
  title: 'Sandbox base image',
  run: async (setup) => {
    state.base = await ensureBase(setup, made(state.engine).docker);
  },
});

const BUILD: Step = { title: 'Build', run: (setup) => build(setup.env, setup.report) };

const embeddingModel = (state: Made): Step => ({
  title: 'Model of embeddings',
  run: (setup) => getEmbeddingModel(setup, state),
});

const speechModel = (state: Made): Step => ({
  title: 'Model of speech',
  run: async (setup) => {
    state.speechModelDir = (await findSpeechModel(setup)) ?? undefined;
    return state.speechModelDir === undefined ? 'none: audio.transcribe needs a registered model' : undefined;
  },
});

/** `setup` prints below the current step; `run` prints to the terminal, which shows restarts. */
const startAll = async (setup: Setup, run: Setup, state: Made): Promise<RunningService[]> => {
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
  [BUILD, sandboxBase(state), embeddingModel(state), speechModel(state)],
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

/** Starts everything, step by step. */
export const startStack = async (setup: Setup): Promise<Stack> => {
  const state: Made = {};
  await runPlan(setup, plan(setup, state));
  const parts = [state.database, state.bus, state.engine]
    .map((part) => part?.child)
    .filter((child) => child !== null && child !== undefined);
  return {
    url: loopbackUrl(made(state.httpPort)),
    publicUrl: made(state.publicUrl),
    keys: made(state.keys),
    services: made(state.services),
    parts,
  };
};
