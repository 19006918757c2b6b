// SPDX-License-Identifier: Apache-2.0
// The chart's queries to Prometheus: every query names existing metrics and labels.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { INSTRUMENTS, prometheusName, type InstrumentRow } from '@writ/telemetry';
import { visit, parseDocument } from 'yaml';
import { unknownIn } from '../dashboards/known-metrics.ts';
import { readExpression } from '../dashboards/promql.ts';
import { CHART } from './render.ts';

/** Labels that the Prometheus operator adds for a PodMonitor or ServiceMonitor. */
const OF_THE_OPERATOR = new Set(['namespace', 'pod', 'container', 'service', 'endpoint']);

const FILES = [
  'values.yaml',
  ...['ci', 'examples'].flatMap((folder) =>
    readdirSync(join(CHART, folder))
      .filter((name) => name.endsWith('.yaml'))
      .map((name) => `${folder}/${name}`),
  ),
];

/** Queries of KEDA (`query`), and metrics of a HorizontalPodAutoscaler (`metric: {name: …}`). */
function queriesOf(text: string): string[] {
  const found: string[] = [];
  const document = parseDocument(text);
  visit(document, {
    Pair: (_key, { key, value }) => {
      const name = String(key);
      const plain = (value as { toJSON?: () => unknown } | null)?.toJSON?.();
      if (name === 'query' && typeof plain === 'string' && plain !== '') found.push(plain);
      if (name === 'metric' && typeof plain === 'object') found.push((plain as { name: string }).name);
    },
  });
  return found;
}

/** The expression with Helm's values filled in. */
const withoutTemplates = (query: string): string => query.replaceAll(/\{\{[^}]*\}\}/g, 'x');

function problemsOf(query: string): string[] {
  const { selectors, grouping } = readExpression(withoutTemplates(query));
  const ours = selectors.map(({ metric, labels }) => ({
    metric,
    labels: labels.filter((label) => !OF_THE_OPERATOR.has(label)),
  }));
  return unknownIn({ selectors: ours, grouping: grouping.filter((label) => !OF_THE_OPERATOR.has(label)) });
}

test('every query in the values and examples of the chart names existing metrics and labels', () => {
  const asked = FILES.flatMap((file) =>
    queriesOf(readFileSync(join(CHART, file), 'utf8')).map((query) => ({ file, query })),
  );
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.flatMap(({ file, query }) => problemsOf(query).map((problem) => `${file}: ${problem}`))).toEqual([]);
});

test('a query is found in a text, and an unknown metric in it', () => {
  const text = `
keda: {query: 'max(writ_made_up{namespace="{{ .Release.Namespace }}"})'}
autoscaling: {metrics: [{type: Pods, pods: {metric: {name: writ_also_made_up}}}]}
`;
  expect(queriesOf(text).flatMap(problemsOf)).toEqual(['no metric `writ_made_up`', 'no metric `writ_also_made_up`']);
});

/** A word with the shape of a metric, in code of a document. */
const NAMED = /`(writ_[a-z_]+)(?:\{[^`]*\})?`/g;
/** Roles of Postgres have names of the same shape. */
const ROLE = /^writ_(?:kernel|kernel_worker|ledger|executor|orchestrator|owner|admin|app)$/;
const OURS = new Set(
  Object.entries<InstrumentRow>(INSTRUMENTS).flatMap(([name, row]) => {
    const own = prometheusName(name, row);
    return [own, ...['bucket', 'count', 'sum'].map((part) => `${own}_${part}`)];
  }),
);

test('every metric that a page for operators names is in the table of instruments', () => {
  const folder = join(CHART, '../../docs/operations');
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  expect(pages).toContain('sizing.md');
  const unknown = pages.flatMap((page) =>
    [...readFileSync(join(folder, page), 'utf8').matchAll(NAMED)]
      .map(([, name = '']) => name)
      .filter((name) => !ROLE.test(name) && !OURS.has(name))
      .map((name) => `${page}: ${name}`),
  );
  expect(unknown).toEqual([]);
});
