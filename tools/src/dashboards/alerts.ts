// SPDX-License-Identifier: Apache-2.0
// Alert rules. Each has a page in docs/operations/runbooks, and firing and quiet cases in deploy/prometheus/tests.
import { BUDGET, errorsOver, type Window } from './slos.ts';

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  /** how long the condition must hold; at once by default */
  readonly for?: string;
  /** `critical` pages a person; `warning` is for working hours */
  readonly severity: 'critical' | 'warning';
  readonly summary: string;
}

export interface AlertGroup {
  readonly name: string;
  readonly rules: readonly AlertRule[];
}

const SERVICES = ['orchestrator', 'kernel', 'executor', 'ledger'] as const;

/** An alert needs both a short and a long window: a short peak is over before a person could act. */
const burns = (rate: number, long: Window, short: Window): string => {
  const above = (window: Window): string => `${errorsOver(window)} > on (slo) ${String(rate)} * ${BUDGET}`;
  return `(${above(long)}) and on (slo) (${above(short)})`;
};

const SERVICES_GROUP: AlertGroup = {
  name: 'writ-services',
  rules: [
    {
      alert: 'WritServiceDown',
      for: '2m',
      severity: 'critical',
      summary: 'No process of the service {{ $labels.service_name }} is scraped.',
      expr: SERVICES.map((service) => `absent(target_info{service_namespace="writ", service_name="${service}"})`).join(
        ' or ',
      ),
    },
    {
      alert: 'WritInternalErrors',
      for: '5m',
      severity: 'warning',
      summary: 'Requests {{ $labels.verb }} on the bus fail with internal errors.',
      expr: 'sum by (verb) (rate(writ_bus_handler_duration_seconds_count{outcome="internal"}[5m])) > 0',
    },
    {
      alert: 'WritKeysUnread',
      for: '5m',
      severity: 'critical',
      summary: "The file of the {{ $labels.keys }} can't be read; those read before stay in force.",
      expr: 'max by (keys, instance) (writ_keys_unread) > 0',
    },
    {
      alert: 'WritEventLoopBlocked',
      for: '5m',
      severity: 'warning',
      summary: 'The event loop of {{ $labels.instance }} is held up for more than a second again and again.',
      expr: 'min_over_time(nodejs_eventloop_delay_max_seconds[5m]) > 1',
    },
    {
      alert: 'WritWorkerThreadsFull',
      for: '10m',
      severity: 'warning',
      summary: 'Work waits for worker threads of {{ $labels.instance }}.',
      expr: 'min_over_time(writ_worker_pool_tasks{state="queued"}[5m]) > 5',
    },
    {
      alert: 'WritDatabasePoolExhausted',
      for: '5m',
      severity: 'critical',
      summary:
        'Requests wait for a connection of the pool {{ $labels.db_client_connection_pool_name }} on {{ $labels.instance }}.',
      expr: 'min_over_time(db_client_connection_pending_requests[2m]) > 0',
    },
  ],
};

const CALLS_GROUP: AlertGroup = {
  name: 'writ-calls',
  rules: [
    {
      alert: 'WritNoExecutorSlots',
      for: '2m',
      severity: 'critical',
      summary: 'No executor offers a slot in the lane {{ $labels.lane }}.',
      expr: 'max by (lane) (writ_dispatch_slots{state="all"}) == 0',
    },
    {
      alert: 'WritCallsWait',
      for: '2m',
      severity: 'warning',
      summary: 'A call has waited for {{ $value | humanizeDuration }} in the lane {{ $labels.lane }}.',
      expr: 'max by (lane) (writ_operations_oldest_age_seconds) > 60',
    },
    {
      alert: 'WritAttemptsLost',
      severity: 'warning',
      summary: 'Executors let leases run out: {{ $value | humanize }} attempts in ten minutes.',
      expr: 'sum (increase(writ_attempts_requeued_total{reason="lost"}[10m])) > 3',
    },
    {
      alert: 'WritAmbiguousOutcomes',
      severity: 'warning',
      summary: 'Calls ended ambiguous: somebody must find out what they did.',
      expr: 'sum (increase(writ_operations_ended_total{outcome="ambiguous"}[15m])) > 0',
    },
  ],
};

const APPROVALS_GROUP: AlertGroup = {
  name: 'writ-approvals',
  rules: [
    {
      alert: 'WritApprovalsLate',
      for: '5m',
      severity: 'warning',
      summary: 'An approval has waited for {{ $value | humanizeDuration }}.',
      expr: 'max (writ_approvals_oldest_age_seconds) > 4 * 3600',
    },
    {
      alert: 'WritApprovalsExpire',
      severity: 'warning',
      summary: 'Approvals expired: nobody decided in time.',
      expr: 'sum (increase(writ_approvals_decided_total{decision="expired"}[1h])) > 0',
    },
    {
      alert: 'WritWebhooksOverdue',
      for: '5m',
      severity: 'warning',
      summary: 'A message to a webhook is overdue by {{ $value | humanizeDuration }}.',
      expr: 'max (writ_webhook_deliveries_overdue_age_seconds) > 300',
    },
  ],
};

const SANDBOXES_GROUP: AlertGroup = {
  name: 'writ-sandboxes',
  rules: [
    {
      alert: 'WritSandboxStartsFail',
      for: '5m',
      severity: 'critical',
      summary: 'More than a fifth of container starts fail.',
      expr: 'sum (rate(writ_sandbox_start_duration_seconds_count{outcome="failed"}[5m])) / sum (rate(writ_sandbox_start_duration_seconds_count[5m])) > 0.2',
    },
    {
      alert: 'WritSandboxEngineLost',
      for: '2m',
      severity: 'critical',
      summary: 'The executor {{ $labels.instance }} has lost its container engine.',
      expr: 'writ_sandbox_events_total{event="engine.lost"} - on (job, instance) writ_sandbox_events_total{event="engine.back"} > 0',
    },
    {
      alert: 'WritSandboxPoolEmpty',
      for: '15m',
      severity: 'warning',
      summary: 'More than half of the calls wait for a container to start.',
      expr: 'sum (rate(writ_sandbox_acquisitions_total{pool="miss"}[10m])) / sum (rate(writ_sandbox_acquisitions_total[10m])) > 0.5',
    },
  ],
};

const LEDGER_GROUP: AlertGroup = {
  name: 'writ-ledger',
  rules: [
    {
      alert: 'WritOutboxStalled',
      for: '30s',
      severity: 'critical',
      summary:
        'A record has waited for the ledger for {{ $value | humanizeDuration }}; at ten seconds admission stops.',
      expr: 'max (writ_outbox_age_seconds) > 5',
    },
    {
      alert: 'WritRecordsRefused',
      severity: 'critical',
      summary: 'The ledger refuses records: their tenants are held back.',
      expr: 'sum (increase(writ_outbox_sent_total{result="refused"}[5m])) > 0',
    },
    {
      alert: 'WritIndexBehind',
      for: '10m',
      severity: 'warning',
      summary: 'The index of records is {{ $value | humanizeDuration }} behind.',
      expr: 'max (writ_ledger_index_lag_seconds) > 300',
    },
    {
      alert: 'WritWitnessFork',
      severity: 'critical',
      summary: 'The witness {{ $labels.witness }} saw another root of a log at the same size.',
      expr: 'sum by (witness) (increase(writ_ledger_witness_answers_total{answer="fork"}[10m])) > 0',
    },
    {
      alert: 'WritWitnessSilent',
      for: '15m',
      severity: 'warning',
      summary: 'The witness {{ $labels.witness }} does not answer.',
      expr: 'sum by (witness) (rate(writ_ledger_witness_answers_total{answer="silent"}[10m])) > 0 unless on (witness) sum by (witness) (rate(writ_ledger_witness_answers_total{answer="cosigned"}[10m])) > 0',
    },
  ],
};

const RUNS_GROUP: AlertGroup = {
  name: 'writ-runs',
  rules: [
    {
      alert: 'WritModelFailing',
      for: '10m',
      severity: 'warning',
      summary: 'More than a fifth of requests to the model {{ $labels.gen_ai_request_model }} get no reply.',
      expr: 'sum by (gen_ai_request_model) (rate(gen_ai_client_operation_duration_seconds_count{error_type!=""}[10m])) / sum by (gen_ai_request_model) (rate(gen_ai_client_operation_duration_seconds_count[10m])) > 0.2',
    },
    {
      alert: 'WritRunsQueued',
      for: '5m',
      severity: 'warning',
      summary: '{{ $value }} runs wait for an orchestrator that has their model.',
      expr: 'max (writ_runs_active{state="queued"}) > 20',
    },
  ],
};

const OBJECTIVES_GROUP: AlertGroup = {
  name: 'writ-objectives',
  rules: [
    {
      alert: 'WritErrorBudgetBurnsFast',
      for: '2m',
      severity: 'critical',
      summary: 'The error budget of {{ $labels.slo }} is used up within two days at this rate.',
      expr: burns(14.4, '1h', '5m'),
    },
    {
      alert: 'WritErrorBudgetBurns',
      for: '15m',
      severity: 'critical',
      summary: 'The error budget of {{ $labels.slo }} is used up within five days at this rate.',
      expr: burns(6, '6h', '30m'),
    },
    {
      alert: 'WritErrorBudgetLeaks',
      for: '1h',
      severity: 'warning',
      summary: 'The objective of {{ $labels.slo }} will be missed at the rate of the last three days.',
      expr: burns(1, '3d', '6h'),
    },
  ],
};

export const ALERT_GROUPS: readonly AlertGroup[] = [
  SERVICES_GROUP,
  CALLS_GROUP,
  APPROVALS_GROUP,
  SANDBOXES_GROUP,
  LEDGER_GROUP,
  RUNS_GROUP,
  OBJECTIVES_GROUP,
];
export const ALERTS: readonly AlertRule[] = ALERT_GROUPS.flatMap(({ rules }) => rules);

/** Where the page of an alert is, in the repository. */
export const runbookPath = (alert: string): string => `docs/operations/runbooks/${alert}.md`;
