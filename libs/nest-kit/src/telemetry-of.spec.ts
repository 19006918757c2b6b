// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { COMMON_ENVIRONMENT } from './common-environment.ts';
import { readEnvironment } from './read-environment.ts';
import { telemetryOf } from './telemetry-of.ts';

const told = (env: Readonly<Record<string, string>>) =>
  telemetryOf(readEnvironment(Type.Object(COMMON_ENVIRONMENT), { WRIT_NATS_URL: 'nats://127.0.0.1:4222', ...env }));
const endpoint = 'http://collector:4318';

test('metrics are pushed to a collector only where the environment enables that', () => {
  expect(told({})).toEqual({ endpoint: undefined, tenantsMax: 50 });
  expect(told({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toEqual({ endpoint, tenantsMax: 50 });
  expect(
    told({
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_METRIC_EXPORT_INTERVAL: '5000',
      WRIT_METRICS_TENANTS_MAX: '0',
    }),
  ).toEqual({ endpoint, pushMetricsMs: 5_000, tenantsMax: 0 });
});

test('a process with pushed metrics and no collector does not start, and the error names the setting', () => {
  expect(() => told({ OTEL_METRICS_EXPORTER: 'otlp' })).toThrow(
    /OTEL_EXPORTER_OTLP_ENDPOINT is not set: set it to the base URL/,
  );
  expect(() => told({ OTEL_METRICS_EXPORTER: 'prometheus' })).toThrow(/OTEL_METRICS_EXPORTER is wrong: `otlp` sends/);
});
