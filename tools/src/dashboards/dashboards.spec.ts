// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../setup.ts';
import { DASHBOARDS } from './all.ts';
import { generatedFiles } from './files.ts';
import { grafanaDashboard } from './grafana.ts';
import { unknownIn } from './known-metrics.ts';
import type { PanelSpec } from './panel.ts';
import { readExpression, resolved } from './promql.ts';

const panelsOf = (name: string): readonly PanelSpec[] => DASHBOARDS[name]?.rows.flatMap(({ panels }) => panels) ?? [];
const NAMES = Object.keys(DASHBOARDS);

test('dashboards and rules match the code: else run `node tools/with-node.mjs tools/src/dashboards/main.ts`', () => {
  for (const [path, text] of generatedFiles()) {
    const file = join(checkout, path);
    expect({ path, text: existsSync(file) ? readFileSync(file, 'utf8') : '' }).toEqual({ path, text });
  }
  expect(readdirSync(join(checkout, 'deploy/grafana/dashboards')).sort()).toEqual(
    NAMES.map((name) => `${name}.json`).sort(),
  );
});

test.each(NAMES)('every panel of `%s` uses metrics and labels of the table of instruments', (name) => {
  for (const { title, queries } of panelsOf(name)) {
    expect(queries.length).toBeGreaterThan(0);
    for (const { expr, legend } of queries) {
      const read = readExpression(expr);
      expect({ title, expr, asks: read.selectors.length > 0, unknown: unknownIn(read) }).toEqual({
        title,
        expr,
        asks: true,
        unknown: [],
      });
      for (const [, label = ''] of legend.matchAll(/\{\{(\w+)\}\}/g))
        expect({ title, label, unknown: unknownIn({ selectors: read.selectors, grouping: [label] }) }).toEqual({
          title,
          label,
          unknown: [],
        });
    }
  }
});

test('an unknown metric, an unknown label and a syntax error are found', () => {
  expect(unknownIn(readExpression('sum(rate(writ_made_up_total[5m]))'))).toEqual(['no metric `writ_made_up_total`']);
  expect(unknownIn(readExpression('writ_outbox_age_seconds{lane="inline"}'))).toEqual([
    '`writ_outbox_age_seconds` has no label `lane`',
  ]);
  expect(unknownIn(readExpression('sum by (tool) (writ_outbox_age_seconds)'))).toEqual(['no label `tool` to group by']);
  expect(() => readExpression('sum by (writ_outbox_age_seconds')).toThrow('no PromQL at column');
});

test("Grafana's variables in an expression are replaced", () => {
  expect(resolved('rate(a{tenant="$tenant"}[$__rate_interval])', { tenant: 'ten_1' })).toBe(
    'rate(a{tenant="ten_1"}[5m])',
  );
});

test.each(NAMES)('the panels of `%s` fill their rows, and have unique titles and descriptions', (name) => {
  for (const { title, panels } of DASHBOARDS[name]?.rows ?? []) {
    expect(new Set(panels.map((panel) => panel.title)).size).toBe(panels.length);
    for (const panel of panels)
      expect({ title: panel.title, description: panel.description }).toEqual({
        title: panel.title,
        description: expect.stringMatching(/^.{15,}\.$/),
      });
    // Grafana breaks a row where the next panel doesn't fit: no panel may be wider than a row.
    expect({ title, widest: Math.max(...panels.map(({ width }) => width)) <= 24 }).toEqual({ title, widest: true });
  }
});

test.each(NAMES)('`%s` has a unique id, a position and the chosen data source for each panel', (name) => {
  const { uid, panels = [] } = grafanaDashboard(DASHBOARDS[name]!);
  expect(uid).toMatch(/^writ-[a-z]+$/);
  const ids = panels.map((panel) => panel.id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const panel of panels.filter(({ type }) => type !== 'row')) {
    expect(panel).toMatchObject({
      datasource: { type: 'prometheus', uid: '${datasource}' },
      gridPos: { w: expect.any(Number) as number, h: expect.any(Number) as number },
    });
  }
});

test('a remaining error budget is red below 0, yellow below half, and green above', () => {
  const file = readFileSync(join(checkout, 'deploy/grafana/dashboards/slo.json'), 'utf8');
  const { panels } = JSON.parse(file) as {
    panels: readonly { type: string; fieldConfig?: { defaults: { thresholds: { steps: unknown } } } }[];
  };
  const stats = panels
    .filter(({ type }) => type === 'stat')
    .map(({ fieldConfig }) => fieldConfig?.defaults.thresholds.steps);
  expect(stats.length).toBeGreaterThan(0);
  for (const steps of stats)
    expect(steps).toEqual([
      { value: null, color: 'red' },
      { value: 0, color: 'yellow' },
      { value: 0.5, color: 'green' },
    ]);
});
