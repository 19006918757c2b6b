// SPDX-License-Identifier: Apache-2.0
// The schema of the chart's values: types and names. The chart's templates refuse invalid combinations, with a message.
import { PROCESSES } from '@writ/contract';
import { Type, type TSchema } from 'typebox';
import { settingsOf } from '../settings.ts';
import { Component } from './components.ts';
import { Keys, Metrics, NetworkPolicy, Nats, Postgres, Sandbox } from './parts.ts';
import {
  ConfigMapKey,
  Count,
  FileName,
  HostName,
  httpUrl,
  Flag,
  Ids,
  Image,
  KubeList,
  Labels,
  LogLevel,
  Name,
  Optional,
  Port,
  Resources,
  Text,
  Values,
} from './types.ts';

const GENERAL = {
  fullnameOverride: Optional('^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$'),
  imageRegistry: Text,
  image: Image,
  imagePullSecrets: Type.Array(Type.Object({ name: Type.String({ minLength: 1 }) }, { additionalProperties: false })),
  deployment: Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{0,62}$' }),
  shard: Type.String({ pattern: '^[a-z0-9]{1,16}$' }),
  logLevel: LogLevel,
  otlpEndpoint: Optional(httpUrl('https?')),
  startWaitMs: Count(0, 600_000),
  commonLabels: Labels,
  commonAnnotations: Labels,
  extraEnv: KubeList,
  extraVolumes: KubeList,
  extraVolumeMounts: KubeList,
  extraCa: Values(ConfigMapKey),
  proxy: Values({
    url: Optional(httpUrl('http')),
    existingSecret: Name,
    key: FileName,
    direct: Text,
    dns: Type.Enum(['own', 'proxy']),
  }),
  securityContext: Ids,
  ops: Values({ port: Port }),
  migrations: Values({ enabled: Flag }),
  jobs: Values({
    backoffLimit: Count(0, 100),
    deadlineSeconds: Count(10, 86_400),
    nodeSelector: Labels,
    tolerations: KubeList,
    resources: Resources,
  }),
  updateOrder: Values({
    enabled: Flag,
    silentSeconds: Count(1, 3_600),
    deadlineSeconds: Count(60, 86_400),
    resources: Resources,
  }),
  models: Values({ existingSecret: Name, configMap: Name, file: FileName }),
  tests: Values({ enabled: Flag, waitSeconds: Count(1, 3_600) }),
};

const EDGES = {
  ingress: Values({
    enabled: Flag,
    className: Name,
    annotations: Labels,
    hosts: Type.Array(HostName),
    tlsSecretName: Name,
  }),
  httpRoute: Values({
    enabled: Flag,
    annotations: Labels,
    parentRefs: KubeList,
    hostnames: Type.Array(HostName),
    timeouts: Labels,
  }),
};

/** The schema of `values.yaml`, in draft 7 for Helm. */
export async function valuesSchema(checkout: string): Promise<Record<string, unknown>> {
  const settings = await settingsOf(checkout);
  const components = Object.fromEntries(
    PROCESSES.map((process) => [process, Component(process, settings[process])]),
  ) as Record<string, TSchema>;
  const schema = Values({
    ...GENERAL,
    keys: Keys,
    postgres: Postgres,
    nats: Nats,
    sandbox: Sandbox,
    ...components,
    networkPolicy: NetworkPolicy,
    ...EDGES,
    metrics: Metrics,
    // Helm passes a parent chart's values to its subcharts.
    global: Type.Record(Type.String(), Type.Unknown()),
  });
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the chart writ',
    ...(JSON.parse(JSON.stringify(schema)) as object),
  };
}
