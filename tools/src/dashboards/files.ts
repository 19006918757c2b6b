// SPDX-License-Identifier: Apache-2.0
import { DASHBOARDS } from './all.ts';
import { grafanaDashboard } from './grafana.ts';
import { alertRules, sloRules } from './rules.ts';

/** Files that are generated from the tables of this folder, by their paths in the repository. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ...Object.entries(DASHBOARDS).map(
      ([name, spec]) =>
        [`deploy/grafana/dashboards/${name}.json`, `${JSON.stringify(grafanaDashboard(spec), null, 2)}\n`] as const,
    ),
    ['deploy/prometheus/rules/writ-alerts.yaml', alertRules()],
    ['deploy/prometheus/rules/writ-slo.yaml', sloRules()],
  ]);
}
