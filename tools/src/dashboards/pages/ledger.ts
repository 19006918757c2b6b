// SPDX-License-Identifier: Apache-2.0
import { curves, each, figure, perSecond, quantile, quantiles, shared, type DashboardSpec } from '../panel.ts';

export const LEDGER: DashboardSpec = {
  uid: 'writ-ledger',
  title: 'Writ / Ledger',
  description: 'Records on their way to the log, the log itself, its index and its witnesses',
  rows: [
    {
      title: 'Now',
      panels: [
        figure(
          'Records',
          'ops',
          perSecond('writ_ledger_records_total', [], '{result="appended"}'),
          'Records that the ledger appends in a second.',
          { width: 6 },
        ),
        figure(
          'Append p99',
          's',
          quantile(0.99, 'writ_ledger_append_duration_seconds', [], '', '5m'),
          "From a batch's arrival to its signed checkpoint, within five minutes.",
          {
            width: 6,
            thresholds: [
              { from: 0.5, color: 'yellow' },
              { from: 2, color: 'red' },
            ],
          },
        ),
        figure(
          'Oldest unlogged record',
          's',
          shared('writ_outbox_age_seconds'),
          'Above 10 s nothing of that tenant is admitted.',
          {
            width: 6,
            thresholds: [
              { from: 2, color: 'yellow' },
              { from: 10, color: 'red' },
            ],
          },
        ),
        figure(
          'Index behind',
          's',
          'max (writ_ledger_index_lag_seconds)',
          'Searches of records lack what is not indexed yet.',
          { width: 6, thresholds: [{ from: 60, color: 'yellow' }] },
        ),
      ],
    },
    {
      title: 'Outbox',
      panels: [
        curves(
          'Records that wait',
          'short',
          shared('writ_outbox_records'),
          'Rows of the outbox: they go when the ledger has answered.',
        ),
        curves('Oldest record', 's', shared('writ_outbox_age_seconds'), "It grows while the ledger doesn't answer."),
        curves(
          'Sent',
          'ops',
          each(perSecond('writ_outbox_sent_total', ['result']), 'result'),
          '`refused` holds a tenant back until an operator acts; `unanswered` is sent again.',
          { stacked: true },
        ),
      ],
    },
    {
      title: 'Log',
      panels: [
        curves(
          'Answers of the ledger',
          'ops',
          each(perSecond('writ_ledger_records_total', ['result']), 'result'),
          'Records by what the ledger answered.',
          { stacked: true },
        ),
        curves(
          'Time of an append',
          's',
          quantiles('writ_ledger_append_duration_seconds'),
          'Verified, committed, remembered and signed.',
        ),
        curves(
          'Records in a batch',
          'short',
          quantiles('writ_ledger_append_records', [], { qs: [0.5, 0.99] }),
          'It grows with the load: batches share a transaction.',
        ),
        curves(
          'Since the last checkpoint',
          's',
          each('writ_ledger_checkpoint_age_seconds', 'instance'),
          'It grows while there is nothing to sign. Together with an old outbox it means that signing fails.',
        ),
      ],
    },
    {
      title: 'Index and witnesses',
      panels: [
        curves(
          'Logs that wait for the index',
          'short',
          'sum (writ_ledger_index_logs)',
          "Logs with records that aren't indexed.",
        ),
        curves(
          'Index behind',
          's',
          each('writ_ledger_index_lag_seconds', 'instance'),
          'For how long the log that has waited longest has waited.',
        ),
        curves(
          'Answers of witnesses',
          'ops',
          each(perSecond('writ_ledger_witness_answers_total', ['witness', 'answer']), 'witness', 'answer'),
          '`fork` is an emergency. Empty without witnesses.',
        ),
      ],
    },
  ],
};
