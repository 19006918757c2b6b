// SPDX-License-Identifier: Apache-2.0
import { curves, each, figure, perSecond, quantiles, shared, shareInAnHour, type DashboardSpec } from '../panel.ts';

export const APPROVALS: DashboardSpec = {
  uid: 'writ-approvals',
  title: 'Writ / Approvals',
  description: 'What waits for people, how long, what they decide, and whether they are told',
  rows: [
    {
      title: 'Now',
      panels: [
        figure(
          'Waiting',
          'short',
          `sum (${shared('writ_approvals_waiting', ['of'])})`,
          'Approvals that nobody has decided.',
          { width: 6 },
        ),
        figure('Oldest', 's', shared('writ_approvals_oldest_age_seconds'), 'How long the oldest of them has waited.', {
          width: 6,
          thresholds: [
            { from: 3_600, color: 'yellow' },
            { from: 14_400, color: 'red' },
          ],
        }),
        figure(
          'Expired in a day',
          'short',
          'sum (increase(writ_approvals_decided_total{decision="expired"}[1d]))',
          'Calls that ended since nobody decided in time.',
          { width: 6, thresholds: [{ from: 1, color: 'yellow' }] },
        ),
        figure(
          'Held',
          'percentunit',
          shareInAnHour('writ_operations_decided_total', 'verdict="held"'),
          'Share of proposals that were held for a person within an hour.',
          { width: 6 },
        ),
      ],
    },
    {
      title: 'People',
      panels: [
        curves(
          'Waiting',
          'short',
          each(shared('writ_approvals_waiting', ['of']), 'of'),
          'By what is to be approved: an action, an effect that was staged, or a value that somebody must give.',
          { stacked: true },
        ),
        curves('Oldest', 's', shared('writ_approvals_oldest_age_seconds'), 'It grows while nobody decides.'),
        curves(
          'Decisions',
          'ops',
          each(perSecond('writ_approvals_decided_total', ['decision']), 'decision'),
          "`approved` and `denied` are people's.",
          { stacked: true },
        ),
        curves(
          'Time until a decision',
          's',
          quantiles('writ_approval_wait_duration_seconds', ['decision'], { qs: [0.5, 0.9], window: '1h' }),
          'From the beginning of an approval to its decision, of the decisions of the last hour.',
        ),
        curves(
          'Held by tool',
          'ops',
          each(`topk(8, ${perSecond('writ_operations_decided_total', ['tool'], '{verdict="held"}')})`, 'tool'),
          'Which tools need people most.',
        ),
      ],
    },
    {
      title: 'Webhooks, which tell people',
      panels: [
        curves(
          'Attempts',
          'ops',
          each(perSecond('writ_webhook_deliveries_total', ['outcome']), 'outcome'),
          '`retried` for long: a receiver is away.',
          { width: 6, stacked: true },
        ),
        curves(
          'Messages that wait',
          'short',
          shared('writ_webhook_deliveries_waiting'),
          'Those between two attempts are part of it.',
          { width: 6 },
        ),
        curves(
          'Overdue for',
          's',
          shared('writ_webhook_deliveries_overdue_age_seconds'),
          "Above a minute: the orchestrators don't keep up, or a webhook is disabled.",
          { width: 6 },
        ),
        curves(
          'Time of an attempt',
          's',
          quantiles('writ_webhook_delivery_duration_seconds', [], { qs: [0.5, 0.99] }),
          'An attempt is given up after 15 s.',
          { width: 6 },
        ),
      ],
    },
  ],
};
