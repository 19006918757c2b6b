// SPDX-License-Identifier: Apache-2.0
import { context, metrics, propagation, trace, type Tracer } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { IMetricReader } from '@opentelemetry/sdk-metrics';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { AlwaysOffSampler, AlwaysOnSampler, type SpanExporter } from '@opentelemetry/sdk-trace';
import type { DestinationStream } from 'pino';
import { inBatches, NO_SPANS, otlpMetrics, otlpSpans } from './exporters.ts';
import { Meter } from './instruments/index.ts';
import { makeLogger, type Logger, type LogLevel } from './logger.ts';
import { PullReader } from './pull-metrics.ts';
import { watchRuntime } from './runtime.ts';
import { withoutOtelVariables } from './without-otel-variables.ts';

export interface TelemetryOptions {
  /** The process: `kernel`. */
  readonly service: string;
  readonly version: string;
  /** Base URL of an OTLP/HTTP collector. Absent: nothing is exported. */
  readonly endpoint?: string | undefined;
  /** Also sends metrics to the collector, at this interval. Absent: only Prometheus gets them, by pulling. */
  readonly pushMetricsMs?: number | undefined;
  /** How many tenants metrics distinguish; 50 by default. */
  readonly tenantsMax?: number | undefined;
  /** Replaces the collector, for tests. */
  readonly exporter?: SpanExporter;
  /** Replaces standard output, for tests. */
  readonly destination?: DestinationStream;
}

export interface Telemetry {
  readonly tracer: Tracer;
  readonly meter: Meter;
  /** Makes a logger. */
  logger(level?: LogLevel): Logger;
  /** The response body of `/metrics`. */
  metricsText(): Promise<string>;
  /** Exports what is pending, and stops. Never rejects: a collector that is gone is no reason to fail. */
  shutdown(): Promise<void>;
}

/**
 * Starts traces, metrics and logs of a process, with OpenTelemetry's SDK for Node.js. Once per process: it sets the
 * global tracer, meter and context.
 *
 * Without a collector, spans are created and not recorded. Messages, logs and records carry trace ids all the same, at
 * the cost of generating them.
 */
export function startTelemetry(options: TelemetryOptions): Telemetry {
  const { service, version, endpoint, pushMetricsMs, tenantsMax, destination } = options;
  const exporter = options.exporter ?? (endpoint === undefined ? undefined : otlpSpans(endpoint));
  const reader = new PullReader();
  const readers: IMetricReader[] =
    endpoint === undefined || pushMetricsMs === undefined ? [reader] : [reader, otlpMetrics(endpoint, pushMetricsMs)];
  const sdk = startSdk({ service, version, exporter, readers });
  const meter = new Meter(metrics.getMeter(service, version), tenantsMax === undefined ? {} : { tenant: tenantsMax });
  const unwatch = watchRuntime(meter);
  return {
    tracer: trace.getTracer(service, version),
    meter,
    logger: (level = 'info') => makeLogger({ service, version, level, destination }),
    metricsText: () => reader.text(),
    shutdown: async () => {
      unwatch();
      await sdk.shutdown().catch(() => undefined);
    },
  };
}

/** Starts the SDK with explicit settings for everything that it would otherwise read from the environment or detect. */
function startSdk({
  service,
  version,
  exporter,
  readers,
}: {
  readonly service: string;
  readonly version: string;
  readonly exporter: SpanExporter | undefined;
  readonly readers: IMetricReader[];
}): NodeSDK {
  // Removes the state of an earlier start in the same process: tests start several times.
  for (const api of [context, propagation, trace, metrics]) api.disable();
  return withoutOtelVariables(() => {
    const sdk = new NodeSDK({
      resource: resourceFromAttributes({
        'service.name': service,
        'service.namespace': 'writ',
        'service.version': version,
      }),
      autoDetectResources: false,
      contextManager: new AsyncLocalStorageContextManager(),
      textMapPropagator: new W3CTraceContextPropagator(),
      // The caller's sampling decision is ignored: where traces are kept at all, every call gets one.
      sampler: exporter === undefined ? new AlwaysOffSampler() : new AlwaysOnSampler(),
      spanProcessors: [exporter === undefined ? NO_SPANS : inBatches(exporter)],
      metricReaders: readers,
      // Logs go to standard output.
      logRecordProcessors: [],
    });
    sdk.start();
    return sdk;
  });
}
