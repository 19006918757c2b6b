// SPDX-License-Identifier: Apache-2.0
import type { EntityUidJson, Expr, PolicyJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs';

/** Inputs with a single word per request. Rules that demand another word can be left out before Cedar is called. */
export const FACETS = [
  'agent_id',
  'session_mode',
  'supervision',
  'risk_level',
  'risk_ceiling',
  'tool_class',
  'task_class',
  'effect',
  'time',
] as const;
export type Facet = (typeof FACETS)[number];
/** The word of each facet; `effect` and `time` are `present` or absent. */
export type Facts = Readonly<Record<Facet, string>>;
/** A word that a request must have, or the rule can't apply. */
export type Demand = readonly [facet: Facet, word: string];

const OPTIONAL: readonly string[] = ['effect', 'time'] satisfies Facet[];
export const PRESENT = 'present';

/**
 * The demands that a rule evaluates first: its principal, and the comparisons at the beginning of its first `when`.
 * INVARIANT (leaving out changes nothing): if a demand isn't met, Cedar's `&&` stops there, so that the rule neither
 * applies nor fails.
 */
export function demandsOf({ principal, conditions: [first] }: PolicyJson): Demand[] {
  const demands: Demand[] =
    principal.op === '==' && 'entity' in principal ? [['agent_id', idOf(principal.entity)]] : [];
  if (first?.kind !== 'when') return demands;
  for (const term of termsOf(first.body)) {
    const demand = demandOf(term);
    if (demand === null) break;
    demands.push(demand);
  }
  return demands;
}

/** `a && b && c`, split from the left. */
function termsOf(expression: Expr): Expr[] {
  const and = (expression as { '&&'?: { left: Expr; right: Expr } })['&&'];
  return and === undefined ? [expression] : [...termsOf(and.left), ...termsOf(and.right)];
}

function demandOf(term: Expr): Demand | null {
  const { '==': equal, has } = term as {
    '=='?: { left: Expr; right: Expr };
    has?: { left: Expr; attr: string | string[] };
  };
  if (has !== undefined)
    return isContext(has.left) && typeof has.attr === 'string' && OPTIONAL.includes(has.attr)
      ? [has.attr as Facet, PRESENT]
      : null;
  if (equal === undefined) return null;
  const facet = facetOf(equal.left) ?? facetOf(equal.right);
  const word = wordOf(equal.right) ?? wordOf(equal.left);
  return facet === null || word === null ? null : [facet, word];
}

function facetOf(expression: Expr): Facet | null {
  const { '.': access } = expression as { '.'?: { left: Expr; attr: string } };
  if (access === undefined || !isContext(access.left) || OPTIONAL.includes(access.attr) || access.attr === 'agent_id')
    return null;
  return FACETS.find((facet) => facet === access.attr) ?? null;
}

function wordOf(expression: Expr): string | null {
  const { Value: value } = expression as { Value?: unknown };
  return typeof value === 'string' ? value : null;
}

const isContext = (expression: Expr): boolean => (expression as { Var?: unknown }).Var === 'context';
const idOf = (uid: EntityUidJson): string => ('__entity' in uid ? uid.__entity : (uid as TypeAndId)).id;
