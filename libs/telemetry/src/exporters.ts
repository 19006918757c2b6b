// SPDX-License-Identifier: Apache-2.0
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace';

/** How long spans gather before a batch leaves, in milliseconds: a trace is there to look at soon after its call. */
const BATCH_MS = 1_000;
/** What the last batch may take at shutdown, in milliseconds: a collector that hangs must not hold up the process. */
const EXPORT_MS = 2_000;

/** What goes over HTTP is addressed by the collector's base URL, as `OTEL_EXPORTER_OTLP_ENDPOINT` has it. */
const urlOf = (endpoint: string, signal: 'traces' | 'metrics'): string => `${endpoint.replace(/\/$/, '')}/v1/${signal}`;

/** Sends spans to an OTLP/HTTP collector. */
export const otlpSpans = (endpoint: string): SpanExporter =>
  new OTLPTraceExporter({ url: urlOf(endpoint, 'traces'), timeoutMillis: EXPORT_MS });

/** Gathers spans for an exporter. */
export const inBatches = (exporter: SpanExporter): SpanProcessor =>
  new BatchSpanProcessor({ exporter, scheduledDelayMillis: BATCH_MS, exportTimeoutMillis: EXPORT_MS });

/** Sends all metrics to an OTLP/HTTP collector, from time to time. */
export function otlpMetrics(endpoint: string, everyMs: number): PeriodicExportingMetricReader {
  const exporter = new OTLPMetricExporter({ url: urlOf(endpoint, 'metrics'), timeoutMillis: EXPORT_MS });
  return new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: everyMs,
    exportTimeoutMillis: Math.min(everyMs, EXPORT_MS),
  });
}

/** Takes spans of which nothing is kept: without a processor the SDK makes no spans at all, and so no ids for them. */
export const NO_SPANS: SpanProcessor = {
  onStart: () => undefined,
  onEnd: () => undefined,
  forceFlush: async () => undefined,
  shutdown: async () => undefined,
};
