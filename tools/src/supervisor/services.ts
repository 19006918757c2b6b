// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import type { Keys } from '../parts/keys.ts';
import type { Nats } from '../parts/nats.ts';
import type { Schema } from '../parts/schema.ts';

export const SERVICES = ['ledger', 'kernel', 'executor', 'orchestrator'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** Variables of one process, by name. */
export type Variables = Readonly<Record<string, string>>;

/** The inputs of the services' environments. */
export interface ServiceSettings {
  readonly stateDir: string;
  readonly deployment: string;
  readonly shard: string;
  readonly httpPort: number;
  readonly opsPorts: Readonly<Record<ServiceName, number>>;
  readonly nats: Pick<Nats, 'url' | 'passwordFiles'>;
  readonly schema: Schema;
  readonly keys: Keys;
  readonly dockerHost: string;
  readonly label: string;
  readonly image: { readonly digest: string };
  /** The folder of the model of embeddings; absent where it could not be got. */
  readonly embeddingModelDir?: string;
  /** the folder of the model of speech; absent without one */
  readonly speechModelDir?: string;
  /** The environment of the command's start. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Variables that any program needs; a service gets no other foreign variable. */
const COMMON = [
  'PATH',
  'HOME',
  'LANG',
  'TZ',
  'TMPDIR',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'WRIT_LOG_LEVEL',
];

const OUTBOUND = ['WRIT_OUTBOUND_PROXY', 'WRIT_OUTBOUND_DIRECT', 'WRIT_OUTBOUND_DNS'];

/** Settings that an operator may pass through to one service. */
const PASSED: Readonly<Record<ServiceName, readonly string[]>> = {
  ledger: OUTBOUND,
  kernel: ['WRIT_SANDBOX_IMAGES_FILE', 'WRIT_LEASE_MS', 'WRIT_PERMIT_TTL_MS', 'WRIT_SWEEP_MS'],
  executor: [
    ...OUTBOUND,
    'WRIT_EXECUTOR_ID',
    'WRIT_DRAIN_MS',
    'WRIT_SANDBOX_IMAGES_FILE',
    'WRIT_SLOTS_INLINE',
    'WRIT_SLOTS_SANDBOXED',
    'WRIT_SLOTS_BROKER',
    'WRIT_POOL_SIZE',
    'WRIT_SANDBOX_RUNTIME',
    'WRIT_SPEECH_MODEL_DIR',
    'WRIT_SPEECH_ENGINES',
    'WRIT_CACHE_BYTES',
    'WRIT_RESOURCE_HOSTS',
    'WRIT_EMBEDDING_MODEL_DIR',
  ],
  // The models file names providers' keys: no other process may know their paths.
  orchestrator: [
    ...OUTBOUND,
    'WRIT_HTTP_HOST',
    'WRIT_CONSOLE',
    'WRIT_PUBLIC_URL',
    'WRIT_KEY_SESSIONS',
    'WRIT_SESSION_IDLE_MS',
    'WRIT_SESSION_MAX_MS',
    'WRIT_RATE_PER_SECOND',
    'WRIT_RATE_BURST',
    'WRIT_REQUESTS_MAX',
    'WRIT_CONNECTION_MAX_AGE_MS',
    'WRIT_AUTH_FAILURES_PER_MINUTE',
    'WRIT_TRUSTED_PROXIES',
    'WRIT_WEBHOOK_ALLOW',
    'WRIT_EVENT_STREAMS_MAX',
    'WRIT_MODELS_FILE',
    'WRIT_RUN_COST_PER_DAY_MAX',
  ],
};

const pick = (env: ServiceSettings['env'], names: readonly string[]): Variables =>
  Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));

/** An operator's own server may have its own users. */
const natsUser = ({ nats, env }: ServiceSettings, name: ServiceName): Variables => {
  const file = nats.passwordFiles[name];
  return file === undefined
    ? pick(env, ['WRIT_NATS_USER', 'WRIT_NATS_PASSWORD_FILE'])
    : { WRIT_NATS_USER: name, WRIT_NATS_PASSWORD_FILE: file };
};

const own = (settings: ServiceSettings): Readonly<Record<ServiceName, Variables>> => {
  const { keys, schema, image, stateDir } = settings;
  return {
    ledger: {
      WRIT_LEDGER_DATABASE_URL: schema.urlFor('writ_ledger'),
      WRIT_CHECKPOINT_KEY_FILE: keys.checkpointKeyFile,
      WRIT_RECORD_PUBLIC_KEYS_FILE: keys.recordPublicKeysFile,
      WRIT_LOG_PUBLIC_KEYS_FILE: keys.logPublicKeysFile,
      WRIT_LEDGER_MEMORY_FILE: join(stateDir, 'ledger', 'signed-roots'),
    },
    kernel: {
      WRIT_CHECKPOINT_PUBLIC_KEYS_FILE: keys.checkpointPublicKeysFile,
      WRIT_KERNEL_DATABASE_URL: schema.urlFor('writ_kernel'),
      WRIT_KERNEL_WORKER_DATABASE_URL: schema.urlFor('writ_kernel_worker'),
      WRIT_PERMIT_KEY_FILE: keys.permitKeyFile,
      WRIT_RECORD_KEY_FILE: keys.recordKeyFile,
      WRIT_MASTER_KEY_FILE: keys.masterKeyFile,
      WRIT_SANDBOX_IMAGE_DIGEST: image.digest,
    },
    executor: {
      WRIT_EXECUTOR_DATABASE_URL: schema.urlFor('writ_executor'),
      WRIT_PERMIT_PUBLIC_KEYS_FILE: keys.permitPublicKeysFile,
      WRIT_SANDBOX_IMAGE_DIGEST: image.digest,
      WRIT_SANDBOX_LABEL: settings.label,
      DOCKER_HOST: settings.dockerHost,
      WRIT_CACHE_DIR: join(stateDir, 'executor-cache'),
      ...(settings.embeddingModelDir === undefined ? {} : { WRIT_EMBEDDING_MODEL_DIR: settings.embeddingModelDir }),
      ...(settings.speechModelDir === undefined ? {} : { WRIT_SPEECH_MODEL_DIR: settings.speechModelDir }),
    },
    orchestrator: {
      WRIT_HTTP_HOST: '127.0.0.1',
      WRIT_HTTP_PORT: String(settings.httpPort),
      WRIT_ORCHESTRATOR_DATABASE_URL: schema.urlFor('writ_orchestrator'),
      WRIT_PLATFORM_KEY_HASH_FILE: keys.platformKeyHashFile,
      WRIT_WEBHOOK_KEY_FILE: keys.webhookKeyFile,
      WRIT_RECORD_PUBLIC_KEYS_FILE: keys.recordPublicKeysFile,
      WRIT_LOG_PUBLIC_KEYS_FILE: keys.logPublicKeysFile,
    },
  };
};

/** The whole environment of each service, without secrets of another. */
export const serviceEnvironments = (settings: ServiceSettings): Readonly<Record<ServiceName, Variables>> => {
  const owned = own(settings);
  const of = (name: ServiceName): Variables => ({
    ...pick(settings.env, COMMON),
    NODE_ENV: 'production',
    WRIT_DEPLOYMENT: settings.deployment,
    WRIT_SHARD: settings.shard,
    WRIT_NATS_URL: settings.nats.url,
    ...natsUser(settings, name),
    WRIT_OPS_HOST: '127.0.0.1',
    WRIT_OPS_PORT: String(settings.opsPorts[name]),
    ...owned[name],
    ...pick(settings.env, PASSED[name]),
  });
  return { ledger: of('ledger'), kernel: of('kernel'), executor: of('executor'), orchestrator: of('orchestrator') };
};
