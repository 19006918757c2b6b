// SPDX-License-Identifier: Apache-2.0
// Service level objectives: the allowed share of failures, and the recording rules for the burn rates.

export interface Slo {
  readonly name: string;
  readonly title: string;
  /** the required share of good events, over thirty days */
  readonly objective: number;
  /** the definition of a good event, in words */
  readonly good: string;
  /** the share of bad events within a window */
  readonly errors: (window: string) => string;
}

/** The share of a counter that a selector counts as bad; 0 where nothing bad was ever counted. */
const share =
  (metric: string, bad: string, all = '') =>
  (window: string): string =>
    `(sum (rate(${metric}{${[all, bad].filter(Boolean).join(', ')}}[${window}])) or vector(0)) / sum (rate(${metric}${all === '' ? '' : `{${all}}`}[${window}]))`;

/** The share of a histogram above one of its bounds. */
const above =
  (histogram: string, bound: string) =>
  (window: string): string =>
    `1 - sum (rate(${histogram}_bucket{le="${bound}"}[${window}])) / sum (rate(${histogram}_count[${window}]))`;

export const SLOS: readonly Slo[] = [
  {
    name: 'api',
    title: 'API answers',
    objective: 0.999,
    good: 'a request to the API is answered, and not with 5xx',
    errors: share('http_server_request_duration_seconds_count', 'http_response_status_code=~"5.."'),
  },
  {
    name: 'decisions',
    title: 'Decisions are fast',
    objective: 0.99,
    good: "the kernel decides durably within 250 ms of a proposal's arrival",
    errors: above('writ_operation_decision_duration_seconds', '0.25'),
  },
  {
    name: 'attempts',
    title: 'Attempts end',
    objective: 0.999,
    good: 'an attempt that an executor begins ends with a report',
    errors: share('writ_attempt_duration_seconds_count', 'outcome=~"failed|fenced"', 'outcome!="not_ours"'),
  },
  {
    name: 'log',
    title: 'Records are logged',
    objective: 0.99,
    good: 'a batch of records is in the log, and signed, within one second',
    errors: above('writ_ledger_append_duration_seconds', '1'),
  },
];

/** Windows of burn rates, shortest first, and of the objective itself. */
export const WINDOWS = ['5m', '30m', '1h', '6h', '3d', '30d'] as const;
export type Window = (typeof WINDOWS)[number];

/** The recorded share of errors within a window, by the label `slo`. */
export const errorsOver = (window: Window): string => `writ:slo_errors:ratio_rate${window}`;
/** The recorded share of errors that an objective allows, by the label `slo`. */
export const BUDGET = 'writ:slo_budget:ratio';

export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Every recording rule, by objective. */
export const RECORDINGS: readonly RecordingRule[] = SLOS.flatMap(({ name, objective, errors }) => [
  { record: BUDGET, expr: `vector(${String(Math.round((1 - objective) * 1e6) / 1e6)})`, labels: { slo: name } },
  ...WINDOWS.map((window) => ({ record: errorsOver(window), expr: errors(window), labels: { slo: name } })),
]);
