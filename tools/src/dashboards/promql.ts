// SPDX-License-Identifier: Apache-2.0
// The metrics and labels in a PromQL expression.
import { parser } from '@prometheus-io/lezer-promql';

export interface Asked {
  readonly metric: string;
  /** labels of its selector */
  readonly labels: readonly string[];
}

export interface ReadExpression {
  readonly selectors: readonly Asked[];
  /** labels that results are grouped or matched by */
  readonly grouping: readonly string[];
}

/** Variables that Grafana replaces before the query. */
const GRAFANA: readonly (readonly [RegExp, string])[] = [
  [/\$__rate_interval/g, '5m'],
  [/\$__range/g, '1h'],
  [/\$[a-z]+/g, 'x'],
];

/** An expression as Prometheus gets it. @param variables values of the dashboard's variables */
export function resolved(expr: string, variables: Readonly<Record<string, string>> = {}): string {
  const own = Object.entries(variables).reduce((text, [name, value]) => text.replaceAll(`$${name}`, value), expr);
  return GRAFANA.reduce((text, [pattern, value]) => text.replace(pattern, value), own);
}

/** Parses an expression. @throws Error with the position of invalid PromQL */
export function readExpression(expr: string): ReadExpression {
  const text = resolved(expr);
  const selectors: { metric: string; labels: string[] }[] = [];
  const grouping: string[] = [];
  let groupingUntil = -1;
  parser.parse(text).iterate({
    enter: ({ type, from, to, name }) => {
      if (type.isError) throw new Error(`no PromQL at column ${String(from + 1)}: ${text}`);
      const word = text.slice(from, to);
      if (name === 'VectorSelector') selectors.push({ metric: /^[a-zA-Z_:][\w:]*/.exec(word)?.[0] ?? '', labels: [] });
      if (name === 'GroupingLabels') groupingUntil = to;
      if (name !== 'LabelName') return;
      if (from < groupingUntil) grouping.push(word);
      else selectors.at(-1)?.labels.push(word);
    },
  });
  return { selectors, grouping };
}
