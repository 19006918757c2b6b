// SPDX-License-Identifier: Apache-2.0
import { curves, each, figure, perSecond, quantiles, shared, shareInAnHour, type DashboardSpec } from '../panel.ts';

const DURATION = 'gen_ai_client_operation_duration_seconds';

export const RUNS: DashboardSpec = {
  uid: 'writ-runs',
  title: 'Writ / Agent runs',
  description: 'Runs of agents, the models that they ask, and what those cost',
  rows: [
    {
      title: 'Now',
      panels: [
        figure(
          'Running',
          'short',
          shared('writ_runs_active', [], '{state="running"}'),
          'Runs that are under way now.',
          { width: 6 },
        ),
        figure(
          'Queued',
          'short',
          shared('writ_runs_active', [], '{state="queued"}'),
          'Runs that no replica has begun.',
          { width: 6, thresholds: [{ from: 20, color: 'yellow' }] },
        ),
        figure(
          'Failed replies',
          'percentunit',
          shareInAnHour(`${DURATION}_count`, 'error_type!=""'),
          'Share of requests to models that got no reply, within an hour.',
          {
            width: 6,
            thresholds: [
              { from: 0.05, color: 'yellow' },
              { from: 0.2, color: 'red' },
            ],
          },
        ),
        figure(
          'Cost in a day',
          'short',
          'sum (increase(writ_run_cost_total[1d]))',
          "In the currency of the models' prices.",
          { width: 6 },
        ),
      ],
    },
    {
      title: 'Runs',
      panels: [
        curves(
          'Runs by state',
          'short',
          each(shared('writ_runs_active', ['state']), 'state'),
          '`waiting` for a person or a sub-agent.',
          { width: 6, stacked: true },
        ),
        curves('Taken on', 'short', each('writ_runs_driven', 'instance'), 'By each orchestrator.', {
          width: 6,
          stacked: true,
        }),
        curves(
          'Ends',
          'ops',
          each(perSecond('writ_runs_ended_total', ['stopped']), 'stopped'),
          '`model_failed` and `failed` need a look.',
          { width: 6, stacked: true },
        ),
        curves(
          'Overhead of a round',
          's',
          quantiles('writ_run_round_overhead_duration_seconds'),
          'What the orchestrator takes of a round, without model and calls. Above 15 ms: too many runs for one replica.',
          { width: 6 },
        ),
      ],
    },
    {
      title: 'Models',
      panels: [
        curves(
          'Tokens',
          'ops',
          each(
            perSecond('gen_ai_client_token_usage_sum', ['gen_ai_request_model', 'gen_ai_token_type']),
            'gen_ai_request_model',
            'gen_ai_token_type',
          ),
          'Tokens each second, by model.',
          { stacked: true },
        ),
        curves(
          'Tokens of a request',
          'short',
          quantiles('gen_ai_client_token_usage', ['gen_ai_token_type'], { qs: [0.5, 0.95] }),
          'Long inputs cost most.',
        ),
        curves(
          'Cost in an hour',
          'short',
          each('sum by (model) (increase(writ_run_cost_total[1h]))', 'model'),
          'By the prices of `WRIT_MODELS_FILE`; a model without prices shows nothing.',
          { stacked: true },
        ),
        curves(
          'Time of a reply',
          's',
          quantiles(DURATION, ['gen_ai_request_model'], { qs: [0.5, 0.95] }),
          'From the request to the end of the reply.',
        ),
        curves(
          'Requests',
          'ops',
          each(perSecond(`${DURATION}_count`, ['gen_ai_request_model']), 'gen_ai_request_model'),
          'Requests to models.',
        ),
        curves(
          'Failures',
          'ops',
          each(
            `${perSecond(`${DURATION}_count`, ['error_type'], '{error_type!=""}')} or label_replace(vector(0), "error_type", "none", "", "")`,
            'error_type',
          ),
          'Requests that got no reply, by why.',
          { stacked: true },
        ),
      ],
    },
  ],
};
