// SPDX-License-Identifier: Apache-2.0
import type { Meter } from './budget.ts';
import type { Scope, Value } from './scope.ts';
import type { Shell } from './shell.ts';
import type { SyntaxNode } from './syntax.ts';

/** Combinations of values with which one command is interpreted; beyond them its variables count as unknown. */
export const COMBINATIONS_MAX = 24;

export type Pins = ReadonlyMap<string, Value>;

/** The possible combinations of values of the variables below the node, one or more. */
export function combinations(node: SyntaxNode, { scope, meter }: Pick<Shell, 'scope' | 'meter'>): readonly Pins[] {
  let all: Pins[] = [new Map()];
  const names = namesBelow(node, meter);
  meter.steps(1 + names.size);
  for (const name of names) {
    if (scope.pinned.has(name)) continue;
    const values = scope.possible(name);
    if (values.length < 2) continue;
    const next = all.flatMap((pins) => values.map((value) => new Map([...pins, [name, value]])));
    if (next.length > COMBINATIONS_MAX) return [new Map()];
    all = next;
  }
  return all;
}

/** A cache by node, since a loop interprets its statements repeatedly. */
const NAMES = new WeakMap<SyntaxNode, ReadonlySet<string>>();

function namesBelow(node: SyntaxNode, meter: Meter): ReadonlySet<string> {
  const known = NAMES.get(node);
  if (known) return known;
  const names = new Set<string>();
  const visit = ({ type, text, children }: SyntaxNode): void => {
    meter.steps();
    if (type === 'variable_name') names.add(text);
    children.forEach(visit);
  };
  visit(node);
  NAMES.set(node, names);
  return names;
}

/** Runs with the names pinned to one value each, until they are assigned. */
export function pinned<T>(scope: Scope, pins: Pins, body: () => T): T {
  const before = scope.pinned;
  scope.pinned = new Map([...before, ...pins]);
  try {
    return body();
  } finally {
    const left = scope.pinned;
    scope.pinned = before;
    scope.keepPins(left);
  }
}
