// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import type { Keys } from '../parts/keys.ts';
import type { Nats } from '../parts/nats.ts';
import type { Schema } from '../parts/schema.ts';

export const SERVICES = ['ledger', 'kernel', 'executor', 'orchestrator'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** Variables of one process, by name. */
export type Variables = Readonly<Record<string, string>>;

/** What the environments of the services are made from. */
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
  /** The environment that the command was started in. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What any program needs to find its way; a service gets nothing else from the environment that is not its own. */
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

/** Tuning that an operator may hand through to one service. */
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
    'WRIT_CACHE_BYTES',
  ],
  // The file of models names keys of providers: no other process may know where they are.
  orchestrator: [
    ...OUTBOUND,
    'WRIT_HTTP_HOST',
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

/** With a server of the operator's own, its users may be the operator's too. */
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

/** The whole environment of each service: what it is given, and nothing that another one holds. */
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
