// SPDX-License-Identifier: Apache-2.0
import type { Meter } from '@opentelemetry/api';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import type { Resource } from '@opentelemetry/resources';
import { AggregationType, InstrumentType, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';

/** Seconds: from a request within one machine (0.5 ms) to a command at its limit (120 s). */
const secondsBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Collects only when asked: Prometheus pulls. */
class PullReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

export interface Metrics {
  readonly meter: Meter;
  /** The state of all instruments in Prometheus' text format 0.0.4. */
  text(): Promise<string>;
  shutdown(): Promise<void>;
}

/** Starts the metrics of a process. Histograms are in seconds. */
export function startMetrics(service: string, version: string, resource: Resource): Metrics {
  const reader = new PullReader();
  const provider = new MeterProvider({
    resource,
    readers: [reader],
    views: [{ instrumentType: InstrumentType.HISTOGRAM, aggregation: { type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM, options: { boundaries: secondsBuckets } } }],
  });
  // No timestamps: Prometheus sets its own. No scope labels: there is one scope.
  const serializer = new PrometheusSerializer(undefined, false, undefined, false, true);
  return {
    meter: provider.getMeter(service, version),
    text: async () => serializer.serialize((await reader.collect()).resourceMetrics),
    shutdown: () => provider.shutdown(),
  };
}
