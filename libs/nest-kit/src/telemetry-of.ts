// SPDX-License-Identifier: Apache-2.0
import type { TelemetryOptions } from '@writ/telemetry';
import type { CommonEnvironment } from './common-environment.ts';
import { EnvironmentError } from './read-environment.ts';

type TelemetryVariables = Pick<
  CommonEnvironment,
  'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_METRICS_EXPORTER' | 'OTEL_METRIC_EXPORT_INTERVAL' | 'WRIT_METRICS_TENANTS_MAX'
>;

/**
 * Where a process sends its telemetry, from its environment.
 * @throws EnvironmentError where metrics are to be pushed and no collector is named
 */
export function telemetryOf(
  config: TelemetryVariables,
): Pick<TelemetryOptions, 'endpoint' | 'pushMetricsMs' | 'tenantsMax'> {
  const {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_METRICS_EXPORTER: exporter,
    OTEL_METRIC_EXPORT_INTERVAL: everyMs,
  } = config;
  const pushes = exporter === 'otlp';
  if (pushes && endpoint === undefined) {
    const remedy = 'set it to the base URL of the collector, or set OTEL_METRICS_EXPORTER to `none`';
    throw new EnvironmentError([
      `OTEL_METRICS_EXPORTER is \`otlp\`, and OTEL_EXPORTER_OTLP_ENDPOINT is not set: ${remedy}`,
    ]);
  }
  return { endpoint, tenantsMax: config.WRIT_METRICS_TENANTS_MAX, ...(pushes ? { pushMetricsMs: everyMs } : {}) };
}
