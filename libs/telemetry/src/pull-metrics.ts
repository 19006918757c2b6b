// SPDX-License-Identifier: Apache-2.0
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { DataPointType, MetricReader, type MetricData, type ResourceMetrics } from '@opentelemetry/sdk-metrics';
import { familyOf } from './instruments/index.ts';

/**
 * What a collection may take, in milliseconds: an instrument that reads a database that is away must not hold up the
 * others until Prometheus gives up (10 s).
 */
const COLLECT_MS = 5_000;

/** Collects only when asked: Prometheus pulls. */
export class PullReader extends MetricReader {
  // No timestamps: Prometheus sets its own. No scope labels: there is one scope.
  readonly #serializer = new PrometheusSerializer(undefined, false, undefined, false, true);

  /**
   * The state of all instruments in Prometheus' text format 0.0.4, by the names that its conventions and
   * OpenTelemetry's collector give them.
   */
  async text(): Promise<string> {
    const { resourceMetrics } = await this.collect({ timeoutMillis: COLLECT_MS });
    return this.#serializer.serialize(namedForPrometheus(resourceMetrics));
  }

  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** The serializer leaves units out of names. */
function namedForPrometheus({ resource, scopeMetrics }: ResourceMetrics): ResourceMetrics {
  return { resource, scopeMetrics: scopeMetrics.map(({ scope, metrics }) => ({ scope, metrics: metrics.map(named) })) };
}

function named(metric: MetricData): MetricData {
  const { name, unit } = metric.descriptor;
  const kind = metric.dataPointType === DataPointType.GAUGE ? 'observableGauge' : 'counter';
  return { ...metric, descriptor: { ...metric.descriptor, name: familyOf(name, unit, kind), unit: '' } };
}
