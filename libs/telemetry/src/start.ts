// SPDX-License-Identifier: Apache-2.0
import type { Meter, Tracer } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { DestinationStream } from 'pino';
import { watchEventLoop } from './event-loop.ts';
import { makeLogger, type Logger, type LogLevel } from './logger.ts';
import { startMetrics } from './metrics.ts';
import { otlpExporter, startTracing } from './tracing.ts';

export interface TelemetryOptions {
  /** The process: `kernel`. */
  readonly service: string;
  readonly version: string;
  /** Base URL of an OTLP/HTTP collector. Absent: spans are not exported. */
  readonly endpoint?: string;
  /** In the place of the collector: for tests. */
  readonly exporter?: SpanExporter;
  /** In the place of standard output: for tests. */
  readonly destination?: DestinationStream;
}

export interface Telemetry {
  readonly tracer: Tracer;
  readonly meter: Meter;
  /** Makes a logger. */
  logger(level?: LogLevel): Logger;
  /** The text that `/metrics` answers. */
  metricsText(): Promise<string>;
  /** Sends what is still to be exported, and stops. Never rejects: a collector that is gone is no reason to fail. */
  shutdown(): Promise<void>;
}

/** Starts traces, metrics and logs of a process. Once per process: it sets the global tracer and context. */
export function startTelemetry({ service, version, endpoint, exporter, destination }: TelemetryOptions): Telemetry {
  const resource = resourceFromAttributes({ 'service.name': service, 'service.namespace': 'writ', 'service.version': version });
  const tracing = startTracing(service, version, resource, exporter ?? (endpoint === undefined ? undefined : otlpExporter(endpoint)));
  const metrics = startMetrics(service, version, resource);
  const unwatch = watchEventLoop(metrics.meter);
  return {
    tracer: tracing.tracer,
    meter: metrics.meter,
    logger: (level = 'info') => makeLogger({ service, version, level, destination }),
    metricsText: () => metrics.text(),
    shutdown: async () => {
      unwatch();
      await Promise.allSettled([tracing.shutdown(), metrics.shutdown()]);
    },
  };
}
