// SPDX-License-Identifier: Apache-2.0
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace';

/**
 * How long spans are collected before a batch is sent, in milliseconds. A trace should be visible soon after its call.
 */
const BATCH_MS = 1_000;
/**
 * Time for the last batch at shutdown, in milliseconds: a collector that hangs must not delay the end of the process.
 */
const EXPORT_MS = 2_000;

/** The URL of a signal below the collector's base URL, as for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
const urlOf = (endpoint: string, signal: 'traces' | 'metrics'): string => `${endpoint.replace(/\/$/, '')}/v1/${signal}`;

/** Sends spans to an OTLP/HTTP collector. */
export const otlpSpans = (endpoint: string): SpanExporter =>
  new OTLPTraceExporter({ url: urlOf(endpoint, 'traces'), timeoutMillis: EXPORT_MS });

/** Collects spans into batches for an exporter. */
export const inBatches = (exporter: SpanExporter): SpanProcessor =>
  new BatchSpanProcessor({ exporter, scheduledDelayMillis: BATCH_MS, exportTimeoutMillis: EXPORT_MS });

/** Sends all metrics to an OTLP/HTTP collector periodically. */
export function otlpMetrics(endpoint: string, everyMs: number): PeriodicExportingMetricReader {
  const exporter = new OTLPMetricExporter({ url: urlOf(endpoint, 'metrics'), timeoutMillis: EXPORT_MS });
  return new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: everyMs,
    exportTimeoutMillis: Math.min(everyMs, EXPORT_MS),
  });
}

/** Discards all spans. Without a processor the SDK creates no spans, and so no trace ids. */
export const NO_SPANS: SpanProcessor = {
  onStart: () => undefined,
  onEnd: () => undefined,
  forceFlush: async () => undefined,
  shutdown: async () => undefined,
};
