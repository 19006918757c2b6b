// SPDX-License-Identifier: Apache-2.0
import { curves, each, figure, type DashboardSpec } from '../panel.ts';
import { BUDGET, errorsOver, SLOS, type Window } from '../slos.ts';

const burn = (window: Window): string => `${errorsOver(window)} / on (slo) ${BUDGET}`;
const left = (slo: string): string => `1 - ${errorsOver('30d')}{slo="${slo}"} / on (slo) ${BUDGET}{slo="${slo}"}`;

/** Thresholds of a budget: half of it is fine, and below 0 the objective is missed. */
const LEFT = {
  below: 'red',
  thresholds: [
    { from: 0, color: 'yellow' },
    { from: 0.5, color: 'green' },
  ],
} as const;

export const SLO: DashboardSpec = {
  uid: 'writ-slo',
  title: 'Writ / Objectives',
  description:
    'Service level objectives, what is left of their error budgets, and how fast it burns. The recording rules of deploy/prometheus/rules/writ-slo.yaml make it',
  rows: [
    {
      title: 'Error budget left, over thirty days',
      panels: SLOS.map(({ name, title, objective, good }) =>
        figure(
          title,
          'percentunit',
          left(name),
          `Objective: in ${String(objective * 100)} % of cases ${good}. Below 0 the objective is missed.`,
          { width: 6, ...LEFT },
        ),
      ),
    },
    {
      title: 'Burn rate: 1 uses the budget up in thirty days',
      panels: [
        curves('Within an hour', 'short', each(burn('1h'), 'slo'), 'Above 14.4 somebody is paged.', {
          width: 12,
          thresholds: [{ from: 14.4, color: 'red' }],
        }),
        curves('Within six hours', 'short', each(burn('6h'), 'slo'), 'Above 6 somebody is paged.', {
          width: 12,
          thresholds: [{ from: 6, color: 'red' }],
        }),
        curves(
          'Within five minutes',
          'short',
          each(burn('5m'), 'slo'),
          'It falls soon after a cause is gone, and ends an alert.',
          { width: 12 },
        ),
        curves('Within three days', 'short', each(burn('3d'), 'slo'), 'Above 1 there is work to plan.', {
          width: 12,
          thresholds: [{ from: 1, color: 'yellow' }],
        }),
      ],
    },
    {
      title: 'Share of errors',
      panels: [
        curves('Within five minutes', 'percentunit', each(errorsOver('5m'), 'slo'), 'What is bad now.', { width: 12 }),
        curves('Within thirty days', 'percentunit', each(errorsOver('30d'), 'slo'), 'What counts for the objective.', {
          width: 12,
        }),
      ],
    },
  ],
};
