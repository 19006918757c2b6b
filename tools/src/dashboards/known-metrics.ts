// SPDX-License-Identifier: Apache-2.0
import { INSTRUMENTS, prometheusLabel, prometheusName, type InstrumentRow } from '@writ/telemetry';
import type { ReadExpression } from './promql.ts';
import { RECORDINGS } from './slos.ts';

/** Labels that Prometheus adds to scraped metrics. */
const OF_THE_SCRAPE = ['job', 'instance'] as const;
/** Service and version, by OpenTelemetry's conventions. */
const TARGET_INFO = ['service_name', 'service_namespace', 'service_version'] as const;

/**
 * Every metric that a query may use, with its labels: those of the table, and those that Prometheus and the recording
 * rules add.
 */
export const KNOWN_METRICS: ReadonlyMap<string, ReadonlySet<string>> = new Map<string, ReadonlySet<string>>([
  ...Object.entries<InstrumentRow>(INSTRUMENTS).flatMap(([name, row]) => {
    const labels = [...Object.keys(row.labels).map(prometheusLabel), ...OF_THE_SCRAPE];
    const prometheus = prometheusName(name, row);
    if (row.kind !== 'histogram') return [[prometheus, new Set(labels)] as const];
    return [
      [`${prometheus}_bucket`, new Set([...labels, 'le'])] as const,
      [`${prometheus}_count`, new Set(labels)] as const,
      [`${prometheus}_sum`, new Set(labels)] as const,
    ];
  }),
  ['target_info', new Set([...TARGET_INFO, ...OF_THE_SCRAPE])],
  ...RECORDINGS.map(({ record, labels }) => [record, new Set(Object.keys(labels))] as const),
]);

/** Unknown metrics and labels in an expression. */
export function unknownIn({ selectors, grouping }: ReadExpression): string[] {
  const problems = selectors.flatMap(({ metric, labels }) => {
    const known = KNOWN_METRICS.get(metric);
    if (known === undefined) return [`no metric \`${metric}\``];
    return labels.filter((label) => !known.has(label)).map((label) => `\`${metric}\` has no label \`${label}\``);
  });
  const all = new Set(selectors.flatMap(({ metric }) => [...(KNOWN_METRICS.get(metric) ?? [])]));
  return [
    ...problems,
    ...grouping.filter((label) => !all.has(label)).map((label) => `no label \`${label}\` to group by`),
  ];
}
