// SPDX-License-Identifier: Apache-2.0
import {
  curves,
  each,
  figure,
  perSecond,
  quantile,
  quantiles,
  shared,
  shareInAnHour,
  type DashboardSpec,
} from '../panel.ts';

export const OVERVIEW: DashboardSpec = {
  uid: 'writ-overview',
  title: 'Writ / Overview',
  description: 'Whether calls pass, how fast, and what waits',
  rows: [
    {
      title: 'Now',
      panels: [
        figure(
          'Decisions',
          'ops',
          perSecond('writ_operations_decided_total'),
          'Proposals that the kernel decides in a second.',
        ),
        figure(
          'Refused',
          'percentunit',
          shareInAnHour('writ_operations_decided_total', 'verdict="refused"'),
          'Share of proposals that were refused within an hour. A jump means a changed policy, or an agent that goes astray.',
          { thresholds: [{ from: 0.5, color: 'yellow' }] },
        ),
        figure(
          'Decision p99',
          's',
          quantile(0.99, 'writ_operation_decision_duration_seconds', [], '', '5m'),
          'Time in the kernel until a decision is durable, within five minutes.',
          {
            thresholds: [
              { from: 0.25, color: 'yellow' },
              { from: 1, color: 'red' },
            ],
          },
        ),
        figure(
          'Waiting',
          'short',
          `sum (${shared('writ_operations_active', ['lane'], '{state="admitted"}')})`,
          'Calls that wait for an executor.',
          { thresholds: [{ from: 50, color: 'yellow' }] },
        ),
        figure(
          'Approvals waiting',
          'short',
          `sum (${shared('writ_approvals_waiting', ['of'])})`,
          'Calls that wait for a person.',
        ),
        figure(
          'Oldest unlogged record',
          's',
          shared('writ_outbox_age_seconds'),
          'Above 10 s nothing of that tenant is admitted.',
          {
            thresholds: [
              { from: 2, color: 'yellow' },
              { from: 10, color: 'red' },
            ],
          },
        ),
      ],
    },
    {
      title: 'Calls',
      panels: [
        curves(
          'Decisions by verdict',
          'ops',
          each(perSecond('writ_operations_decided_total', ['verdict']), 'verdict'),
          'What the kernel decides.',
          { stacked: true },
        ),
        curves(
          'Ends by outcome',
          'ops',
          each(perSecond('writ_operations_ended_total', ['outcome']), 'outcome'),
          '`ambiguous` needs a person: an effect outside may have happened.',
          { stacked: true },
        ),
        curves(
          'Faults',
          'ops',
          each(`topk(8, ${perSecond('writ_operations_faults_total', ['fault'])})`, 'fault'),
          'Why calls are refused or fail, the eight most frequent codes.',
        ),
        curves(
          'Calls by tool',
          'ops',
          each(`topk(10, ${perSecond('writ_operations_decided_total', ['tool'])})`, 'tool'),
          'Tools of tenants are `tenant` together.',
          { stacked: true },
        ),
        curves(
          'Time from proposal to end',
          's',
          quantiles('writ_operation_duration_seconds', ['lane'], { qs: [0.5, 0.99] }),
          'Waiting for people is part of it.',
        ),
        curves(
          'Time to decide',
          's',
          quantiles('writ_operation_decision_duration_seconds'),
          'From the arrival at the kernel to a durable decision.',
        ),
      ],
    },
    {
      title: 'Queue',
      panels: [
        curves(
          'Calls by state',
          'short',
          each(`sum by (state) (${shared('writ_operations_active', ['state', 'lane'])})`, 'state'),
          '`admitted` wait, `performing` run.',
          { stacked: true },
        ),
        curves(
          'Oldest waiting call',
          's',
          each(shared('writ_operations_oldest_age_seconds', ['lane']), 'lane'),
          'It stays up where a lane has too few executors, or none that has the image.',
        ),
        curves(
          'Time in a state',
          's',
          quantiles('writ_operation_state_duration_seconds', ['state'], { qs: [0.5, 0.99] }),
          'Until a call is dispatched, and until its permit is redeemed.',
        ),
        curves(
          'Slots of executors',
          'short',
          each(`sum by (lane, state) (writ_executor_slots)`, 'lane', 'state'),
          'No free slot for long: more executors are needed.',
        ),
      ],
    },
    {
      title: 'API',
      panels: [
        curves(
          'Requests by status',
          'reqps',
          each(
            perSecond('http_server_request_duration_seconds_count', ['http_response_status_code']),
            'http_response_status_code',
          ),
          '5xx are ours; 429 is a tenant beyond its rate.',
          { stacked: true },
        ),
        curves(
          'Time of requests',
          's',
          quantiles('http_server_request_duration_seconds', [], { selector: '{http_route!~".*events.*|unknown"}' }),
          'Streams of events are left out: they are open for as long as somebody listens.',
        ),
        curves(
          'Requests under way',
          'short',
          each('sum by (http_request_method) (http_server_active_requests)', 'http_request_method'),
          'Streams of events are part of it. `WRIT_REQUESTS_MAX` bounds it.',
        ),
      ],
    },
  ],
};
