// SPDX-License-Identifier: Apache-2.0
import { curves, each, figure, perSecond, quantiles, shareInAnHour, type DashboardSpec } from '../panel.ts';

const OF = '{tenant="$tenant"}';

export const TENANT: DashboardSpec = {
  uid: 'writ-tenant',
  title: 'Writ / One tenant',
  description:
    'What one tenant asks for and gets. Only the first tenants of a process are told apart (`WRIT_METRICS_TENANTS_MAX`); all others are `other`',
  variables: [{ name: 'tenant', label: 'Tenant', metric: 'writ_tenant_requests_total' }],
  rows: [
    {
      title: 'Now',
      panels: [
        figure(
          'Requests',
          'reqps',
          perSecond('writ_tenant_requests_total', [], OF),
          'Requests to the API with keys of the tenant.',
          { width: 6 },
        ),
        figure(
          'Decisions',
          'ops',
          perSecond('writ_tenant_operations_decided_total', [], OF),
          'Proposals that the kernel decides.',
          { width: 6 },
        ),
        figure(
          'Refused',
          'percentunit',
          shareInAnHour('writ_tenant_operations_decided_total', 'verdict="refused"', 'tenant="$tenant"'),
          'Share of proposals that were refused within an hour.',
          { width: 6 },
        ),
        figure(
          'Cost in a day',
          'short',
          `sum (increase(writ_tenant_cost_total${OF}[1d]))`,
          "In the currency of the models' prices.",
          { width: 6 },
        ),
      ],
    },
    {
      title: 'Calls',
      panels: [
        curves(
          'Requests by status',
          'reqps',
          each(perSecond('writ_tenant_requests_total', ['class'], OF), 'class'),
          '4xx are refusals and mistakes of the caller.',
          { stacked: true },
        ),
        curves(
          'Decisions by verdict',
          'ops',
          each(perSecond('writ_tenant_operations_decided_total', ['verdict'], OF), 'verdict'),
          'What the kernel decides.',
          { stacked: true },
        ),
        curves(
          'Ends by outcome',
          'ops',
          each(perSecond('writ_tenant_operations_ended_total', ['outcome'], OF), 'outcome'),
          'What became of calls.',
          { stacked: true },
        ),
        curves(
          'Time from proposal to end',
          's',
          quantiles('writ_tenant_operation_duration_seconds', [], { selector: OF }),
          'Waiting for people is part of it.',
        ),
        curves(
          'Approvals',
          'ops',
          each(perSecond('writ_tenant_approvals_decided_total', ['decision'], OF), 'decision'),
          '`expired`: nobody decided in time.',
          { stacked: true },
        ),
      ],
    },
    {
      title: 'Models',
      panels: [
        curves(
          'Tokens',
          'ops',
          each(perSecond('writ_tenant_tokens_total', ['type'], OF), 'type'),
          'Tokens of models in runs, each second.',
          { width: 12, stacked: true },
        ),
        curves(
          'Cost in an hour',
          'short',
          each(`sum by (tenant) (increase(writ_tenant_cost_total${OF}[1h]))`, 'tenant'),
          "In the currency of the models' prices.",
          { width: 12 },
        ),
      ],
    },
  ],
};
