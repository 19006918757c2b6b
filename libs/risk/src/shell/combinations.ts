// SPDX-License-Identifier: Apache-2.0
import type { Scope, Value } from './scope.ts';
import { descendants, type SyntaxNode } from './syntax.ts';

/** Combinations of values that one command is followed with; beyond them its variables count as unknown. */
export const COMBINATIONS_MAX = 24;

export type Pins = ReadonlyMap<string, Value>;

/** The combinations of values that the variables named below the node may have, one or more. */
export function combinations(node: SyntaxNode, scope: Scope): readonly Pins[] {
  let all: Pins[] = [new Map()];
  const names = new Set([...descendants(node, ({ type }) => type === 'variable_name')].map(({ text }) => text));
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

/** Runs with the names held to one value each. */
export function pinned<T>(scope: Scope, pins: Pins, body: () => T): T {
  const before = scope.pinned;
  scope.pinned = new Map([...before, ...pins]);
  try {
    return body();
  } finally {
    scope.pinned = before;
  }
}
