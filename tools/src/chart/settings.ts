// SPDX-License-Identifier: Apache-2.0
// Variables of each process by origin: set by the chart, allowed in its `settings`, or neither.
import { join } from 'node:path';
import { PROCESSES, type Process } from '@writ/contract';

/** A variable, as the schema of an environment describes it. */
export type Variable = Readonly<Record<string, unknown>>;

/** Set by the chart for every process. */
const COMMON = [
  'WRIT_DEPLOYMENT',
  'WRIT_SHARD',
  'WRIT_NATS_URL',
  'WRIT_NATS_PASSWORD_FILE',
  'WRIT_NATS_CA_FILE',
  'WRIT_LOG_LEVEL',
  'WRIT_OPS_HOST',
  'WRIT_OPS_PORT',
  'WRIT_START_WAIT_MS',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
];

const OUTBOUND = ['WRIT_OUTBOUND_PROXY', 'WRIT_OUTBOUND_DIRECT', 'WRIT_OUTBOUND_DNS'];

/** Set by the chart, from its values or from a mount's path. */
export const CHART_SETS: Readonly<Record<Process, readonly string[]>> = {
  kernel: [
    ...COMMON,
    'WRIT_KERNEL_DATABASE_URL',
    'WRIT_KERNEL_WORKER_DATABASE_URL',
    'WRIT_PERMIT_KEY_FILE',
    'WRIT_RECORD_KEY_FILE',
    'WRIT_MASTER_KEY_FILE',
    'WRIT_MASTER_KEY_BEFORE_FILE',
    'WRIT_MASTER_KEY_NEXT_FILE',
    'WRIT_CHECKPOINT_PUBLIC_KEYS_FILE',
    'WRIT_SANDBOX_IMAGE_DIGEST',
    'WRIT_SANDBOX_IMAGES_FILE',
  ],
  executor: [
    ...COMMON,
    ...OUTBOUND,
    'WRIT_EXECUTOR_DATABASE_URL',
    'WRIT_PERMIT_PUBLIC_KEYS_FILE',
    'WRIT_SANDBOX_IMAGE_DIGEST',
    'WRIT_SANDBOX_IMAGES_FILE',
    'WRIT_CACHE_DIR',
    'WRIT_CACHE_BYTES',
    'WRIT_DRAIN_MS',
    'WRIT_SANDBOX_LABEL',
    'WRIT_SANDBOX_DRIVER',
    'WRIT_SANDBOX_NAMESPACE',
    'WRIT_SANDBOX_IMAGE',
    'WRIT_SANDBOX_RUNTIME_CLASS',
    'WRIT_SANDBOX_HOST_USERS',
    'WRIT_SANDBOX_CLAIMS',
    'WRIT_SANDBOX_CANARY',
    'DOCKER_HOST',
    'WRIT_SANDBOX_RUNTIME',
  ],
  ledger: [
    ...COMMON,
    ...OUTBOUND,
    'WRIT_LEDGER_DATABASE_URL',
    'WRIT_CHECKPOINT_KEY_FILE',
    'WRIT_RECORD_PUBLIC_KEYS_FILE',
    'WRIT_LOG_PUBLIC_KEYS_FILE',
    'WRIT_LEDGER_MEMORY_FILE',
    'WRIT_WITNESSES_FILE',
  ],
  orchestrator: [
    ...COMMON,
    ...OUTBOUND,
    'WRIT_HTTP_HOST',
    'WRIT_HTTP_PORT',
    'WRIT_ORCHESTRATOR_DATABASE_URL',
    'WRIT_PLATFORM_KEY_HASH_FILE',
    'WRIT_RECORD_PUBLIC_KEYS_FILE',
    'WRIT_LOG_PUBLIC_KEYS_FILE',
    'WRIT_WEBHOOK_KEY_FILE',
    'WRIT_MODELS_FILE',
  ],
};

/** Neither set nor allowed in `settings`, with the reason. */
export const NOT_OFFERED: Readonly<Record<string, string>> = {
  WRIT_NATS_USER: 'a user is called like its process, and so are its inbox and its permissions',
  WRIT_PERMIT_KEY: 'a key comes by a mounted file, which is followed',
  WRIT_RECORD_KEY: 'a key comes by a mounted file, which is followed',
  WRIT_MASTER_KEY: 'a key comes by a mounted file',
  WRIT_CHECKPOINT_KEY: 'a key comes by a mounted file, which is followed',
  WRIT_KUBECONFIG_FILE: 'who asks the API server is the service account of the pod',
  WRIT_EXECUTOR_ID: 'replicas share their settings, and each needs an id of its own',
};

interface ObjectSchema {
  readonly properties: Readonly<Record<string, Variable>>;
}

/** Every variable of a process. Imported by path: no tool depends on an app, and this only reads its data. */
export async function variablesOfProcess(
  checkout: string,
  process: Process,
): Promise<Readonly<Record<string, Variable>>> {
  const { Environment } = (await import(join(checkout, `apps/${process}/src/config.env.ts`))) as {
    Environment: ObjectSchema;
  };
  return Environment.properties;
}

/** The variables allowed in the `settings` of each process, by name. */
export async function settingsOf(
  checkout: string,
): Promise<Readonly<Record<Process, Readonly<Record<string, Variable>>>>> {
  const rows = await Promise.all(
    PROCESSES.map(async (process) => {
      const all = await variablesOfProcess(checkout, process);
      const offered = Object.entries(all).filter(
        ([name]) => !CHART_SETS[process].includes(name) && !Object.hasOwn(NOT_OFFERED, name),
      );
      return [process, Object.fromEntries(offered.sort(([a], [b]) => (a < b ? -1 : 1)))] as const;
    }),
  );
  return Object.fromEntries(rows) as Record<Process, Record<string, Variable>>;
}
