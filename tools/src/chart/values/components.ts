// SPDX-License-Identifier: Apache-2.0
// The values of one component. Those of `settings` come from the process's own declarations.
import type { Process } from '@writ/contract';
import { Type, type TProperties, type TSchema } from 'typebox';
import type { Variable } from '../settings.ts';
import {
  Bytes,
  Count,
  Flag,
  httpUrl,
  KubeList,
  KubeObject,
  Labels,
  LogLevel,
  Name,
  Optional,
  Port,
  Resources,
  Text,
  Values,
  Volume,
} from './types.ts';

/** More replicas than needed, and few enough to catch a typing error. */
const REPLICAS_MAX = 1_000;
const Replicas = Count(0, REPLICAS_MAX);

const Spread = Type.Object(
  {
    maxSkew: Count(1, 100),
    topologyKey: Type.String({ minLength: 1 }),
    whenUnsatisfiable: Type.Enum(['ScheduleAnyway', 'DoNotSchedule']),
  },
  { additionalProperties: false },
);

const Autoscaling = Values({
  enabled: Flag,
  minReplicas: Count(1, REPLICAS_MAX),
  maxReplicas: Count(1, REPLICAS_MAX),
  targetCpuUtilization: Count(1, 1_000),
  metrics: KubeList,
  behavior: KubeObject,
});

const Keda = Values({
  enabled: Flag,
  serverAddress: Optional(httpUrl('https?')),
  query: Text,
  threshold: Type.Number({ exclusiveMinimum: 0 }),
  minReplicas: Replicas,
  maxReplicas: Count(1, REPLICAS_MAX),
  pollingSeconds: Count(1, 3_600),
  cooldownSeconds: Count(0, 86_400),
});

const SERVICE = Values({
  type: Type.Enum(['ClusterIP', 'NodePort', 'LoadBalancer']),
  port: Port,
  nodePort: Type.Union([Port, Type.Null()]),
  annotations: Labels,
  loadBalancerSourceRanges: Type.Array(Type.String()),
});

const Witness = Type.Object(
  { url: Type.String({ pattern: httpUrl('https?') }), key: Type.String({ minLength: 1 }) },
  { additionalProperties: false },
);

/** The longest preStop hook, so that the grace period of a deployment stays usable. */
const PRE_STOP_SECONDS_MAX = 600;

/** A component's values beyond the common ones. */
const OWN: Readonly<Record<Process, TProperties>> = {
  orchestrator: { service: SERVICE, maxSurge: Count(1, REPLICAS_MAX) },
  kernel: { maxSurge: Count(1, REPLICAS_MAX) },
  executor: {
    maxSurge: Count(1, REPLICAS_MAX),
    drainMs: Count(0, 600_000),
    cache: Values({ bytes: Type.Integer({ minimum: 0 }), size: Bytes }),
  },
  ledger: { persistence: Volume, witnesses: Type.Array(Witness, { maxItems: 16 }) },
};

/** The schema of `settings`: each variable as its process declares it, without members for documentation only. */
const settingsSchema = (variables: Readonly<Record<string, Variable>>): TSchema =>
  Values(Object.fromEntries(Object.entries(variables).map(([name, variable]) => [name, variable as TSchema])));

export const Component = (process: Process, variables: Readonly<Record<string, Variable>>): TSchema =>
  Values({
    replicas: Replicas,
    ...OWN[process],
    logLevel: LogLevel,
    settings: settingsSchema(variables),
    resources: Resources,
    tmpSize: Bytes,
    preStopSeconds: Count(0, PRE_STOP_SECONDS_MAX),
    serviceAccount: Values({ create: Flag, name: Name, annotations: Labels }),
    podDisruptionBudget: Values({
      enabled: Flag,
      maxUnavailable: Type.Union([Count(0, REPLICAS_MAX), Type.String({ pattern: '^[0-9]{1,3}%$' })]),
    }),
    autoscaling: Autoscaling,
    keda: Keda,
    podLabels: Labels,
    podAnnotations: Labels,
    nodeSelector: Labels,
    tolerations: KubeList,
    affinity: KubeObject,
    priorityClassName: Name,
    topologySpread: Type.Array(Spread),
    extraEnv: KubeList,
    extraVolumes: KubeList,
    extraVolumeMounts: KubeList,
    extraIngress: KubeList,
    extraEgress: KubeList,
  });
