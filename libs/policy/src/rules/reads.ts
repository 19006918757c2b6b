// SPDX-License-Identifier: Apache-2.0
import type { Expr, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';
import { CONTEXT_ATTRIBUTES, type ContextAttribute } from './schema.ts';

/** The inputs that rules read. An input that none of them reads can be left out without changing the answer. */
export interface Reads {
  readonly context: ReadonlySet<ContextAttribute>;
  /** whether any rule reads the resource, so that each path must be evaluated */
  readonly resource: boolean;
  /** whether any rule tests the groups of the action */
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
 * Finds the inputs that the rules read. INVARIANT (unknown reads everything): an unknown form counts as reading all
 * inputs.
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

/** The inputs that all of them read together. */
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
    else readEverything(found);
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

function readEverything(found: Found): void {
  found.resource = true;
  found.groups = true;
  for (const attribute of ALL) found.context.add(attribute);
}
