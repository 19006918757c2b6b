// SPDX-License-Identifier: Apache-2.0
import { context, propagation, trace, type Tracer } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { Resource } from '@opentelemetry/resources';
import { AlwaysOffSampler, AlwaysOnSampler, BatchSpanProcessor, TracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace';

export interface Tracing {
  readonly tracer: Tracer;
  shutdown(): Promise<void>;
}

/** How long spans gather before a batch leaves, in milliseconds: a trace is there to look at soon after its call. */
const batchMs = 1_000;
/** What the last batch may take at shutdown, in milliseconds: a collector that hangs must not hold up the process. */
const exportMs = 2_000;

/**
 * Starts tracing. Without an exporter spans are made and not recorded: trace ids run through messages, logs and records all the
 * same, at the cost of drawing them.
 */
export function startTracing(service: string, version: string, resource: Resource, exporter: SpanExporter | undefined): Tracing {
  const provider = new TracerProvider({
    resource,
    // Whether the caller sampled doesn't matter: every call of ours is worth a trace where traces are kept at all.
    sampler: exporter === undefined ? new AlwaysOffSampler() : new AlwaysOnSampler(),
    spanProcessors: exporter === undefined ? [] : [new BatchSpanProcessor({ exporter, scheduledDelayMillis: batchMs, exportTimeoutMillis: exportMs })],
  });
  // Replaces what an earlier start in the same process has left: tests start several.
  for (const api of [context, propagation, trace]) api.disable();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return { tracer: provider.getTracer(service, version), shutdown: () => provider.shutdown() };
}

/** Makes an exporter for an OTLP/HTTP endpoint as `OTEL_EXPORTER_OTLP_ENDPOINT` has it: a base URL. */
export function otlpExporter(endpoint: string): SpanExporter {
  return new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces`, timeoutMillis: exportMs });
}
