// SPDX-License-Identifier: Apache-2.0
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { DataPointType, MetricReader, type MetricData, type ResourceMetrics } from '@opentelemetry/sdk-metrics';
import { familyOf } from './instruments/index.ts';

/**
 * Time limit of a collection, in milliseconds. An instrument that reads an unreachable database must not delay the
 * others until Prometheus gives up (10 s).
 */
const COLLECT_MS = 5_000;

/** Collects only on request: Prometheus pulls. */
export class PullReader extends MetricReader {
  // No timestamps: Prometheus sets its own. No scope labels: there is one scope.
  readonly #serializer = new PrometheusSerializer(undefined, false, undefined, false, true);

  /**
   * The state of all instruments in Prometheus' text format 0.0.4, under the names of its conventions and of
   * OpenTelemetry's collector.
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
