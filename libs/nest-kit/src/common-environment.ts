// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { LOG_LEVELS } from '@writ/telemetry';
import { listenHost, natsUrls, ReadBy, urlWithHost } from './variable-texts.ts';

/** A TCP port to listen on; 0 picks a free one. */
export const Port = Type.Integer({ minimum: 0, maximum: 65_535, description: 'a TCP port, 0 to 65535' });

/** The variables that every process has, to spread into the schema of each process. */
export const COMMON_ENVIRONMENT = {
  WRIT_DEPLOYMENT: Type.String({
    default: 'writ.local',
    pattern: '^[a-z0-9][a-z0-9.-]{0,62}$',
    description:
      'the name of this deployment in checkpoints and in the key of its log: up to 63 of a-z, 0-9, dot and hyphen',
  }),
  WRIT_SHARD: Type.String({
    default: 's0',
    pattern: '^[a-z0-9]{1,16}$',
    description: 'the name of the shard in subjects of the bus: one to sixteen of a-z and 0-9',
  }),
  WRIT_NATS_URL: ReadBy(
    Type.String({
      pattern: '^(nats|tls)://',
      description: 'the address of NATS: `nats://host:port` or `tls://host:port`, several separated by commas',
    }),
    natsUrls,
  ),
  WRIT_NATS_USER: Type.Optional(
    Type.String({ minLength: 1, description: 'the user on NATS; the name of the process unless set' }),
  ),
  WRIT_NATS_PASSWORD_FILE: Type.Optional(
    Type.String({ minLength: 1, secret: true, description: 'a file with the password on NATS' }),
  ),
  WRIT_NATS_CA_FILE: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'a PEM file with the authorities that sign the certificate of NATS; those of Node.js unless set',
    }),
  ),
  WRIT_LOG_LEVEL: Type.Union(
    LOG_LEVELS.map((level) => Type.Literal(level)),
    { default: 'info', description: `the level from which log lines are written, one of ${LOG_LEVELS.join(', ')}` },
  ),
  WRIT_OPS_HOST: ReadBy(
    Type.String({
      default: '127.0.0.1',
      minLength: 1,
      description: 'the address that /healthz, /readyz and /metrics listen on',
    }),
    listenHost,
  ),
  WRIT_OPS_PORT: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 65_535,
    description: 'the port of /healthz, /readyz and /metrics; 0 picks one',
  }),
  WRIT_START_WAIT_MS: Type.Integer({
    default: 30_000,
    minimum: 0,
    maximum: 600_000,
    unit: 'milliseconds',
    description: 'how long the start waits for NATS and Postgres to listen, in milliseconds',
  }),
  WRIT_METRICS_TENANTS_MAX: Type.Integer({
    default: 50,
    minimum: 0,
    maximum: 1_000,
    unit: 'tenants',
    description:
      'how many tenants metrics tell apart, 0 to 1000: the first ones that the process sees; all others are `other`',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    ReadBy(Type.String({ pattern: '^https?://', description: 'the base URL of an OTLP/HTTP collector' }), urlWithHost),
  ),
  OTEL_METRICS_EXPORTER: Type.Enum(['none', 'otlp'], {
    default: 'none',
    description:
      '`otlp` sends metrics to the collector of OTEL_EXPORTER_OTLP_ENDPOINT too; `none` leaves them to /metrics',
  }),
  OTEL_METRIC_EXPORT_INTERVAL: Type.Integer({
    default: 60_000,
    minimum: 1_000,
    maximum: 3_600_000,
    unit: 'milliseconds',
    description: 'how often metrics are sent to the collector, in milliseconds: 1000 to 3600000',
  }),
};

/** The variables that every process has. */
export const CommonEnvironment = Type.Object(COMMON_ENVIRONMENT);
export type CommonEnvironment = Readonly<Static<typeof CommonEnvironment>>;
