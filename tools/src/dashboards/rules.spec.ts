// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { findProgram, runProgram } from '../parts/packages.ts';
import { checkout } from '../setup.ts';
import { ALERTS, runbookPath } from './alerts.ts';
import { unknownIn } from './known-metrics.ts';
import { readExpression } from './promql.ts';
import { RECORDINGS, SLOS, WINDOWS } from './slos.ts';

const CASES = 'deploy/prometheus/tests/writ-alerts.test.yaml';
const SECTIONS = ['What it means', 'What users notice', 'First look', 'What to do'];
const SKIPPED = 'skipped: there is no `promtool` (Debian: apt-get install prometheus)';

interface Case {
  readonly name: string;
  readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[];
}

test.each(
  [...ALERTS, ...RECORDINGS].map(
    ({ expr, ...rule }) => ['alert' in rule ? rule.alert : `${rule.record} ${rule.labels['slo'] ?? ''}`, expr] as const,
  ),
)('the rule %s uses metrics and labels of the table of instruments', (_name, expr) => {
  expect(unknownIn(readExpression(expr))).toEqual([]);
});

test.each(ALERTS.map(({ alert }) => alert))(
  '%s has a page with all sections: meaning, symptoms, first look, and actions',
  (alert) => {
    const page = readFileSync(join(checkout, runbookPath(alert)), 'utf8');
    expect(page.startsWith(`# ${alert}\n`)).toBe(true);
    const sections = page
      .split(/^## /m)
      .slice(1)
      .map((section) => section.split('\n'));
    expect(sections.map(([title]) => title)).toEqual(SECTIONS);
    for (const [title, ...lines] of sections)
      expect({ title, long: lines.join(' ').trim().length > 15 }).toEqual({ title, long: true });
  },
);

test.each(ALERTS.map(({ alert }) => alert))('every kubectl command on the page of %s names its namespace', (alert) => {
  const page = readFileSync(join(checkout, runbookPath(alert)), 'utf8').replaceAll(/\s+/g, ' ');
  expect([...page.matchAll(/kubectl (?!-n writ(?:-sandboxes)? ).{0,40}/g)].map(([command]) => command)).toEqual([]);
});

test('no page belongs to a removed alert', () => {
  expect(readdirSync(join(checkout, 'docs/operations/runbooks')).sort()).toEqual(
    ALERTS.map(({ alert }) => `${alert}.md`).sort(),
  );
});

test('every alert has a firing and a quiet case', () => {
  const { tests } = parse(readFileSync(join(checkout, CASES), 'utf8')) as { tests: readonly Case[] };
  const output = tests.flatMap((each) =>
    each.alert_rule_test.map(
      ({ alertname, exp_alerts }) => `${alertname} ${exp_alerts.length > 0 ? 'fires' : 'is quiet'}`,
    ),
  );
  expect(output.sort()).toEqual(ALERTS.flatMap(({ alert }) => [`${alert} fires`, `${alert} is quiet`]).sort());
});

test('every objective has all windows, and a budget', () => {
  expect(RECORDINGS).toHaveLength(SLOS.length * (WINDOWS.length + 1));
});

const promtool = findProgram(process.env, 'promtool');

test.skipIf(promtool === undefined)(
  `Prometheus takes the rules, and alerts fire in their cases and stay quiet beside them (${promtool === undefined ? SKIPPED : 'promtool'})`,
  async () => {
    const rules = readdirSync(join(checkout, 'deploy/prometheus/rules')).map((name) =>
      join(checkout, 'deploy/prometheus/rules', name),
    );
    const checked = await runProgram(promtool!, ['check', 'rules', ...rules], process.env);
    expect(checked).toMatchObject({ status: 0 });
    const tested = await runProgram(promtool!, ['test', 'rules', join(checkout, CASES)], process.env);
    expect(tested).toEqual({
      status: 0,
      tail: expect.arrayContaining([expect.stringContaining('SUCCESS')]) as string[],
    });
  },
  60_000,
);
