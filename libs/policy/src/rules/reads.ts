// SPDX-License-Identifier: Apache-2.0
import type { Expr, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';
import { CONTEXT_ATTRIBUTES, type ContextAttribute } from './schema.ts';

/** What rules look at. What none of them looks at needn't be told, and can't change the answer. */
export interface Reads {
  readonly context: ReadonlySet<ContextAttribute>;
  /** whether any looks at the resource, so that each path must be asked about */
  readonly resource: boolean;
  /** whether any asks for the groups of the action */
  readonly groups: boolean;
}

interface Found {
  readonly context: Set<ContextAttribute>;
  resource: boolean;
  groups: boolean;
}

const ALL = Object.keys(CONTEXT_ATTRIBUTES) as readonly ContextAttribute[];
const OPERATORS = new Set([
  '!',
  'neg',
  '==',
  '!=',
  'in',
  '<',
  '<=',
  '>',
  '>=',
  '&&',
  '||',
  '+',
  '-',
  '*',
  'contains',
  'containsAll',
  'containsAny',
  'isEmpty',
  'getTag',
  'hasTag',
  'like',
  'is',
  'if-then-else',
]);
const OPERANDS = ['left', 'right', 'arg', 'if', 'then', 'else', 'in'] as const;

/**
 * Finds what the rules look at. INVARIANT (unknown reads everything): a form that isn't known here counts as looking at
 * all there is.
 */
export function readsOf(policies: Iterable<PolicyJson>): Reads {
  const found: Found = { context: new Set(), resource: false, groups: false };
  for (const { action, resource, conditions } of policies) {
    if (action.op === 'in') found.groups = true;
    if (resource.op !== 'All') found.resource = true;
    for (const { body } of conditions) visit(body, found);
  }
  return found;
}

/** What all of them look at together. */
export function readsOfAll(reads: Iterable<Reads>): Reads {
  const found: Found = { context: new Set(), resource: false, groups: false };
  for (const { context, resource, groups } of reads) {
    for (const attribute of context) found.context.add(attribute);
    found.resource ||= resource;
    found.groups ||= groups;
  }
  return found;
}

function visit(expression: Expr, found: Found): void {
  for (const [form, body] of Object.entries(expression) as [string, unknown][]) {
    if (form === 'Value') continue;
    if (form === 'Var') visitVariable(body, found);
    else if (form === '.' || form === 'has') visitAttribute(body as { left: Expr; attr: string | string[] }, found);
    else if (form === 'Record') for (const each of Object.values(body as Record<string, Expr>)) visit(each, found);
    else if (Array.isArray(body)) for (const each of body as Expr[]) visit(each, found);
    else if (OPERATORS.has(form)) visitOperands(body as Partial<Record<string, Expr>>, found);
    else everything(found);
  }
}

function visitOperands(body: Partial<Record<string, Expr>>, found: Found): void {
  for (const name of OPERANDS) if (body[name] !== undefined) visit(body[name], found);
}

function visitVariable(name: unknown, found: Found): void {
  if (name === 'resource') found.resource = true;
  else if (name === 'action') found.groups = true;
  else if (name !== 'principal') for (const attribute of ALL) found.context.add(attribute);
}

function visitAttribute({ left, attr }: { left: Expr; attr: string | string[] }, found: Found): void {
  if ((left as { Var?: unknown }).Var !== 'context') return visit(left, found);
  found.context.add((Array.isArray(attr) ? attr[0] : attr) as ContextAttribute);
}

function everything(found: Found): void {
  found.resource = true;
  found.groups = true;
  for (const attribute of ALL) found.context.add(attribute);
}
