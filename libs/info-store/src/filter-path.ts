// SPDX-License-Identifier: Apache-2.0
import { RANGE_OPERATORS, type Filter } from './filter.ts';
import type { MetadataValue } from './metadata.ts';

/**
 * A filter as an SQL/JSON path of PostgreSQL with variables, for `jsonb_path_match(metadata, path, vars, true)`. A null
 * of that function means that the document doesn't match.
 */
export interface FilterPath {
  /** holds names of metadata and of variables, and no value of the caller */
  readonly path: string;
  readonly vars: Readonly<Record<string, MetadataValue>>;
}

const SIGNS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** Compiles a filter that was parsed. Without a filter, the path is true for each document. */
export function filterPath(filter: Filter | undefined): FilterPath {
  const vars: Record<string, MetadataValue> = {};
  const variable = (value: MetadataValue): string => {
    const name = `v${Object.keys(vars).length}`;
    vars[name] = value;
    return `$${name}`;
  };
  return { path: filter === undefined ? '1 == 1' : pathOf(filter, variable), vars };
}

function pathOf(filter: Filter, variable: (value: MetadataValue) => string): string {
  if ('and' in filter) return joined(filter.and, '&&', variable);
  if ('or' in filter) return joined(filter.or, '||', variable);
  // Names are parsed: they hold neither quotes nor backslashes.
  const member = `$."${filter.field}"`;
  if ('eq' in filter) return `(${member} == ${variable(filter.eq)})`;
  if ('in' in filter) return `(${filter.in.map((value) => `${member} == ${variable(value)}`).join(' || ')})`;
  const bounds = RANGE_OPERATORS.flatMap((name) => {
    const bound = filter[name];
    return bound === undefined ? [] : [`${member} ${SIGNS[name]} ${variable(bound)}`];
  });
  return `(${bounds.join(' && ')})`;
}

const joined = (filters: readonly Filter[], sign: string, variable: (value: MetadataValue) => string): string =>
  `(${filters.map((each) => pathOf(each, variable)).join(` ${sign} `)})`;
