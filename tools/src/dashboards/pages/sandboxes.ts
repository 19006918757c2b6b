// SPDX-License-Identifier: Apache-2.0
import { curves, each, figure, perSecond, quantile, quantiles, shareInAnHour, type DashboardSpec } from '../panel.ts';

export const SANDBOXES: DashboardSpec = {
  uid: 'writ-sandboxes',
  title: 'Writ / Sandboxes',
  description: 'Containers of executors, attempts in them, and requests that leave them',
  rows: [
    {
      title: 'Now',
      panels: [
        figure(
          'Ready',
          'short',
          'sum (writ_sandbox_pool_containers{state="ready"})',
          'Containers that wait for a call, over all executors.',
          { width: 6 },
        ),
        figure(
          'Hits',
          'percentunit',
          shareInAnHour('writ_sandbox_acquisitions_total', 'pool="hit"'),
          'Calls that got a container which waited, within an hour. Below 0.8: raise `WRIT_POOL_SIZE`.',
          { width: 6 },
        ),
        figure(
          'Start p99',
          's',
          quantile(0.99, 'writ_sandbox_start_duration_seconds', [], '{outcome="ready"}', '1h'),
          "From the order of a container to its agent's first word, within an hour.",
          { width: 6 },
        ),
        figure(
          'Failed starts in an hour',
          'short',
          '(sum (increase(writ_sandbox_start_duration_seconds_count{outcome="failed"}[1h])) or vector(0))',
          'Each costs a call or a place in the pool.',
          {
            width: 6,
            thresholds: [
              { from: 1, color: 'yellow' },
              { from: 10, color: 'red' },
            ],
          },
        ),
      ],
    },
    {
      title: 'Containers',
      panels: [
        curves(
          'Warm pool',
          'short',
          each('sum by (state) (writ_sandbox_pool_containers)', 'state'),
          '`ready` at 0 for long: calls wait for starts.',
          { stacked: true },
        ),
        curves(
          'Containers for calls',
          'ops',
          each(perSecond('writ_sandbox_acquisitions_total', ['pool']), 'pool'),
          '`miss`: the call waited for a start.',
          { stacked: true },
        ),
        curves(
          'Time of a start',
          's',
          quantiles('writ_sandbox_start_duration_seconds', ['outcome'], { qs: [0.5, 0.99] }),
          'Failures are timed too.',
        ),
        curves(
          'Events',
          'ops',
          each(perSecond('writ_sandbox_events_total', ['event']), 'event'),
          'A lost engine, one that has no room or refuses, pools that could not be refilled, containers that could not be removed.',
        ),
      ],
    },
    {
      title: 'Attempts',
      panels: [
        curves(
          'Slots in use',
          'percentunit',
          each('sum by (lane) (writ_executor_slots{state="used"}) / sum by (lane) (writ_executor_slots)', 'lane'),
          'At 1 the lane is full.',
        ),
        curves(
          'Time of an attempt',
          's',
          quantiles('writ_attempt_duration_seconds', ['lane'], { qs: [0.5, 0.99] }),
          "From a permit's arrival at an executor to the end of its attempt.",
        ),
        curves(
          'Ends of attempts',
          'ops',
          each(perSecond('writ_attempt_duration_seconds_count', ['outcome']), 'outcome'),
          '`failed` and `fenced` attempts are made again by another.',
          { stacked: true },
        ),
        curves(
          'Back to the queue',
          'ops',
          each(perSecond('writ_attempts_requeued_total', ['reason']), 'reason'),
          '`lost`: an executor died, or was cut off, while it ran the call.',
        ),
      ],
    },
    {
      title: 'Egress',
      panels: [
        curves(
          'Requests at the gate',
          'ops',
          each(perSecond('writ_egress_requests_total', ['decision']), 'decision'),
          'What calls ask to send out.',
          { stacked: true },
        ),
        curves(
          'Refusals',
          'ops',
          each(perSecond('writ_egress_requests_total', ['fault'], '{decision="refused"}'), 'fault'),
          "`egress.refused` is a host that no token grants, or that isn't public.",
        ),
        curves(
          'Bytes',
          'Bps',
          each(perSecond('writ_egress_io_bytes_total', ['direction']), 'direction'),
          'What passes the gate.',
        ),
      ],
    },
  ],
};
