// SPDX-License-Identifier: Apache-2.0
import type { Expr, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';
import {
  addArgument,
  addArguments,
  noArguments,
  type ArgumentReads,
  type FoundArguments,
} from '../arguments/argument-reads.ts';
import { CONTEXT_ATTRIBUTES, type ContextAttribute } from './schema.ts';

/** The inputs that rules read. An input that none of them reads can be left out without changing the answer. */
export interface Reads {
  readonly context: ReadonlySet<ContextAttribute>;
  /** whether any rule reads the resource, so that each path must be evaluated */
  readonly resource: boolean;
  /** whether any rule tests the groups of the action */
  readonly groups: boolean;
  /** the arguments that any rule reads; null: none does */
  readonly args: ArgumentReads | null;
}

interface Found {
  readonly context: Set<ContextAttribute>;
  resource: boolean;
  groups: boolean;
  readonly args: FoundArguments;
  /** whether the rule at hand uses the whole context as a value, and names something `args` apart from the context */
  usesContext: boolean;
  namesArguments: boolean;
}

const nothing = (): Found => ({
  context: new Set(),
  resource: false,
  groups: false,
  args: noArguments(),
  usesContext: false,
  namesArguments: false,
});
const ARGUMENTS = 'args';

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
  const found = nothing();
  for (const { action, resource, conditions } of policies) {
    if (action.op === 'in') found.groups = true;
    if (resource.op !== 'All') found.resource = true;
    for (const { body } of conditions) visit(body, found);
    // A rule that uses the whole context reads no arguments of it, unless it names them somewhere.
    if (found.usesContext && found.namesArguments) readArguments(found, [], true);
    found.usesContext = found.namesArguments = false;
  }
  return readsFrom(found);
}

const readsFrom = ({ context, resource, groups, args }: Found): Reads => ({
  context,
  resource,
  groups,
  args: context.has(ARGUMENTS) ? args : null,
});

function readArguments(found: Found, path: readonly string[], whole: boolean): void {
  found.context.add(ARGUMENTS);
  addArgument(found.args, path, whole);
}

/** The inputs that all of them read together. */
export function readsOfAll(reads: Iterable<Reads>): Reads {
  const found = nothing();
  for (const { context, resource, groups, args } of reads) {
    for (const attribute of context) found.context.add(attribute);
    found.resource ||= resource;
    found.groups ||= groups;
    if (args !== null) addArguments(found.args, args);
  }
  return readsFrom(found);
}

function visit(expression: Expr, found: Found): void {
  for (const [form, body] of Object.entries(expression) as [string, unknown][]) {
    if (form === 'Value') continue;
    if (form === 'Var') visitVariable(body, found);
    else if (form === '.' || form === 'has') visitAttribute(body as Access, form === '.', found);
    else if (form === 'Record') visitRecord(body as Record<string, Expr>, found);
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
  else if (name !== 'principal') {
    for (const attribute of ALL) if (attribute !== ARGUMENTS) found.context.add(attribute);
    found.usesContext = true;
  }
}

function visitRecord(record: Record<string, Expr>, found: Found): void {
  found.namesArguments ||= Object.hasOwn(record, ARGUMENTS);
  for (const each of Object.values(record)) visit(each, found);
}

/** An attribute of something, or the question whether it has it: several in a row for `has a.b`. */
interface Access {
  readonly left: Expr;
  readonly attr: string | readonly string[];
}

/** @param isRead false for `has`, which asks only whether it is there */
function visitAttribute(access: Access, isRead: boolean, found: Found): void {
  const path = [...(Array.isArray(access.attr) ? (access.attr as string[]) : [access.attr as string])];
  let { left } = access;
  for (;;) {
    const { '.': inner } = left as { '.'?: Access };
    if (inner === undefined) break;
    path.unshift(inner.attr as string);
    left = inner.left;
  }
  if ((left as { Var?: unknown }).Var !== 'context') {
    found.namesArguments ||= path.includes(ARGUMENTS);
    return visit(left, found);
  }
  const [attribute, ...names] = path as [ContextAttribute, ...string[]];
  found.context.add(attribute);
  if (attribute === ARGUMENTS) readArguments(found, names, isRead);
}

function readEverything(found: Found): void {
  found.resource = true;
  found.groups = true;
  for (const attribute of ALL) found.context.add(attribute);
  readArguments(found, [], true);
}
