// SPDX-License-Identifier: Apache-2.0
import { byService, curves, each, perSecond, quantiles, type DashboardSpec } from '../panel.ts';

const POOL = 'db_client_connection_pool_name';
const summed = (metric: string): string => `sum by (service_name, instance) (${byService(metric)})`;

export const RUNTIME: DashboardSpec = {
  uid: 'writ-runtime',
  title: 'Writ / Node.js and Postgres',
  description: 'Processes, event loops, worker threads, and connections to Postgres',
  rows: [
    {
      title: 'Processes',
      panels: [
        curves(
          'Processor',
          'percentunit',
          each(
            `sum by (service_name, instance) (${byService('rate(process_cpu_time_seconds_total[$__rate_interval])')})`,
            'service_name',
            'instance',
          ),
          'Processors in use, all threads.',
        ),
        curves(
          'Memory',
          'bytes',
          each(summed('process_memory_usage_bytes'), 'service_name', 'instance'),
          'Physical memory (resident set).',
        ),
        curves(
          'Heap in use',
          'bytes',
          each(summed('v8js_memory_heap_used_bytes'), 'service_name', 'instance'),
          "V8's heap of the main thread.",
        ),
        curves(
          'Uptime',
          's',
          each(byService('process_uptime_seconds'), 'service_name', 'instance'),
          'A drop is a restart.',
        ),
        curves(
          "Keys that can't be read",
          'short',
          each('max by (keys) (writ_keys_unread)', 'keys'),
          '1: a file of keys is damaged; those read before stay in force.',
        ),
      ],
    },
    {
      title: 'Event loop',
      panels: [
        curves(
          'Use',
          'percentunit',
          each(byService('nodejs_eventloop_utilization_ratio'), 'service_name', 'instance'),
          'Near 1 the process needs another replica.',
        ),
        curves(
          'Delay, p99',
          's',
          each(byService('nodejs_eventloop_delay_p99_seconds'), 'service_name', 'instance'),
          'How long the loop was held up between two scrapes.',
        ),
        curves(
          'Delay, longest',
          's',
          each(byService('nodejs_eventloop_delay_max_seconds'), 'service_name', 'instance'),
          "By the loop's own work or by the machine's.",
        ),
        curves(
          'Longest own work',
          's',
          each(byService('writ_event_loop_work_max_seconds'), 'service_name', 'instance'),
          'Above 100 ms: something computes where it must not.',
        ),
        curves(
          'Time for garbage',
          'percentunit',
          each(
            `sum by (service_name, v8js_gc_type) (${byService('rate(v8js_gc_duration_seconds_sum[$__rate_interval])')})`,
            'service_name',
            'v8js_gc_type',
          ),
          'Share of the time. Above 0.1 the heap is too small.',
        ),
      ],
    },
    {
      title: 'Worker threads and bus',
      panels: [
        curves(
          'Work',
          'short',
          each('sum by (state) (writ_worker_pool_tasks)', 'state'),
          '`queued` above 0 for long: calls wait for threads.',
        ),
        curves(
          'Threads in use',
          'short',
          each(`topk(8, ${perSecond('writ_worker_pool_busy_time_seconds_total', ['task'])})`, 'task'),
          'By the kind of work.',
          { stacked: true },
        ),
        curves(
          'Work that was stopped',
          'ops',
          perSecond('writ_worker_pool_tasks_stopped_total'),
          'Beyond its budget: somebody sends inputs that are made to cost much.',
        ),
        curves(
          'Requests on the bus',
          'ops',
          each(`topk(10, ${perSecond('writ_bus_handler_duration_seconds_count', ['verb'])})`, 'verb'),
          'Ten busiest verbs.',
        ),
        curves(
          'Time of requests on the bus',
          's',
          each(
            `topk(10, histogram_quantile(0.99, sum by (verb, le) (rate(writ_bus_handler_duration_seconds_bucket[$__rate_interval]))))`,
            'verb',
          ),
          'p99, ten slowest verbs. `admit` waits for ends of inline calls.',
        ),
        curves(
          'Answers other than ok',
          'ops',
          each(
            `${perSecond('writ_bus_handler_duration_seconds_count', ['outcome'], '{outcome!="ok"}')} or label_replace(vector(0), "outcome", "none", "", "")`,
            'outcome',
          ),
          '`internal` is a defect: see the log.',
        ),
      ],
    },
    {
      title: 'Postgres',
      panels: [
        curves(
          'Connections in use',
          'short',
          each(`sum by (${POOL}) (db_client_connection_count{db_client_connection_state="used"})`, POOL),
          'By pool, over all processes.',
          { width: 6 },
        ),
        curves(
          'Pools full',
          'percentunit',
          each(
            `max by (${POOL}, instance) (sum by (${POOL}, instance) (db_client_connection_count{db_client_connection_state="used"}) / sum by (${POOL}, instance) (db_client_connection_max))`,
            POOL,
            'instance',
          ),
          'At 1 requests wait.',
          { width: 6 },
        ),
        curves(
          'Waiting for a connection',
          'short',
          each(`sum by (${POOL}) (db_client_connection_pending_requests)`, POOL),
          'Above 0 for long: Postgres is slow.',
          { width: 6 },
        ),
        curves(
          'Time until a connection',
          's',
          quantiles('db_client_connection_wait_time_seconds', [POOL], { qs: [0.99] }),
          'Opening a new connection is part of it.',
          { width: 6 },
        ),
      ],
    },
  ],
};
