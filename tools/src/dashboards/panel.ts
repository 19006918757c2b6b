// SPDX-License-Identifier: Apache-2.0
// The parts of dashboards, independent of Grafana's format: titles, queries and units.

/** Units by Grafana's ids. */
export type Unit = 'short' | 's' | 'bytes' | 'Bps' | 'percentunit' | 'reqps' | 'ops';

/** A query to Prometheus, and the name of its series in the legend. */
export interface Query {
  readonly expr: string;
  readonly legend: string;
}

export interface PanelSpec {
  readonly kind: 'timeseries' | 'stat';
  readonly title: string;
  /** its meaning for a reader, and when to worry */
  readonly description: string;
  readonly unit: Unit;
  readonly queries: readonly Query[];
  /** of 24 columns */
  readonly width: number;
  /** thresholds: the colour from a value on; `below` is the colour under the first one */
  readonly thresholds?: readonly { readonly from: number; readonly color: 'green' | 'yellow' | 'red' }[];
  /** green by default */
  readonly below?: 'red' | 'green';
  /** series are stacked: parts of a whole */
  readonly stacked?: true;
}

export interface RowSpec {
  readonly title: string;
  readonly panels: readonly PanelSpec[];
}

/** A variable for the reader's choice, from the values of a label. */
export interface VariableSpec {
  readonly name: string;
  readonly label: string;
  readonly metric: string;
}

export interface DashboardSpec {
  /** stable, so that links stay */
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly variables?: readonly VariableSpec[];
  readonly rows: readonly RowSpec[];
}

type Options = Partial<Pick<PanelSpec, 'width' | 'thresholds' | 'below' | 'stacked'>>;

const query = (made: string | readonly Query[]): readonly Query[] =>
  typeof made === 'string' ? [{ expr: made, legend: '' }] : made;

/** Curves over time; a third of the width by default. */
export const curves = (
  title: string,
  unit: Unit,
  made: string | readonly Query[],
  description: string,
  options: Options = {},
): PanelSpec => ({ kind: 'timeseries', title, description, unit, queries: query(made), width: 8, ...options });

/** One current number; an eighth of the width by default. */
export const figure = (
  title: string,
  unit: Unit,
  expr: string,
  description: string,
  options: Options = {},
): PanelSpec => ({ kind: 'stat', title, description, unit, queries: query(expr), width: 4, ...options });

/** The rate of a counter, summed over processes, by labels. */
export const perSecond = (counter: string, by: readonly string[] = [], selector = ''): string =>
  `sum${byOf(by)} (rate(${counter}${selector}[$__rate_interval]))`;

/**
 * The share of a counter that a selector matches, within an hour: a current figure must not be empty in a quiet moment.
 */
export const shareInAnHour = (counter: string, chosen: string, all = ''): string => {
  const gained = (selector: string): string => `sum (increase(${counter}{${selector}}[1h]))`;
  return `(${gained([all, chosen].filter(Boolean).join(', '))} or vector(0)) / ${all === '' ? `sum (increase(${counter}[1h]))` : gained(all)}`;
};

/** A quantile of a histogram over all processes, by labels. */
export const quantile = (
  q: number,
  histogram: string,
  by: readonly string[] = [],
  selector = '',
  window = '$__rate_interval',
): string =>
  `histogram_quantile(${String(q)}, sum${byOf([...by, 'le'])} (rate(${histogram}_bucket${selector}[${window}])))`;

interface QuantileOptions {
  readonly selector?: string;
  readonly qs?: readonly number[];
  /** the window; rare events need a longer one than Grafana's own */
  readonly window?: string;
}

/** The usual quantiles of a histogram, with a curve for each combination of labels. */
export const quantiles = (
  histogram: string,
  by: readonly string[] = [],
  { selector = '', qs = [0.5, 0.95, 0.99], window }: QuantileOptions = {},
): Query[] =>
  qs.map((q) => ({
    expr: quantile(q, histogram, by, selector, window),
    legend: [`p${String(Math.round(q * 100))}`, ...by.map((label) => `{{${label}}}`)].join(' '),
  }));

/** Curves by labels. */
export const each = (expr: string, ...labels: readonly string[]): Query[] => [
  { expr, legend: labels.map((label) => `{{${label}}}`).join(' ') },
];

/** A value that all processes report alike: its maximum. */
export const shared = (metric: string, by: readonly string[] = [], selector = ''): string =>
  `max${byOf(by)} (${metric}${selector})`;

/** Metrics of Writ's own processes, with the service name: other scraped programs may have metrics of the same name. */
export const byService = (expr: string): string =>
  `${expr} * on (job, instance) group_left (service_name) target_info{service_namespace="writ"}`;

function byOf(labels: readonly string[]): string {
  return labels.length === 0 ? '' : ` by (${labels.join(', ')})`;
}
