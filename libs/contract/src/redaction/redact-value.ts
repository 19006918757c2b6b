// SPDX-License-Identifier: Apache-2.0
//
// What a rule redacts of a result. The result is attacker-controlled: it need not have the form that the rule's author
// expects. INVARIANT (unexpected is redacted): where a pointer leads into something that has no such members, all of
// it is replaced. So a value can't hide behind another form than the declared one.
import { stepsOf, type PointerStep } from './pointers.ts';

/** What stands in place of a redacted value, whatever type it had. */
export const REDACTED = '[redacted]';

/** Pointers as a tree, so that a value is walked once, however many there are. */
interface PointerTree {
  /** a pointer ends here: the whole value is replaced */
  whole: boolean;
  every: PointerTree | null;
  readonly named: Map<string, PointerTree>;
}

const newTree = (): PointerTree => ({ whole: false, every: null, named: new Map() });

function treeOf(pointers: readonly string[]): PointerTree {
  const root = newTree();
  for (const pointer of pointers) {
    let at = root;
    for (const step of stepsOf(pointer)) at = below(at, step);
    at.whole = true;
  }
  return root;
}

function below(tree: PointerTree, step: PointerStep): PointerTree {
  if (step === null) return (tree.every ??= newTree());
  const known = tree.named.get(step) ?? newTree();
  tree.named.set(step, known);
  return known;
}

/**
 * The value without the members that the pointers name. A value that has none of them is returned as it is, the same
 * object. `null` stays: it holds nothing.
 */
export function redactValue(value: unknown, pointers: readonly string[]): unknown {
  return pointers.length === 0 ? value : redacted(value, [treeOf(pointers)]);
}

/** Answers whether nothing of the value is left to redact. */
export const isRedacted = (value: unknown, pointers: readonly string[]): boolean =>
  redactValue(value, pointers) === value;

/**
 * The same pointers for a value whose form nobody declared, such as the answer of an API that failed: each redacts the
 * whole member of the top that it leads into.
 */
export const topOf = (pointers: readonly string[]): string[] => [
  ...new Set(pointers.map((pointer) => `/${pointer.slice(1).split('/', 1)[0] as string}`)),
];

function redacted(value: unknown, trees: readonly PointerTree[]): unknown {
  if (trees.length === 0 || value === null || value === undefined) return value;
  if (trees.some(({ whole }) => whole) || typeof value !== 'object') return REDACTED;
  return Array.isArray(value) ? redactedList(value, trees) : redactedObject(value, trees);
}

const INDEX = /^(?:0|[1-9]\d*)$/;

/** A list has no names, so one that is expected to have some is replaced. */
function redactedList(list: readonly unknown[], trees: readonly PointerTree[]): unknown {
  if (trees.some(({ named }) => [...named.keys()].some((name) => !INDEX.test(name)))) return REDACTED;
  return unlessSame(
    list,
    list.map((item, n) => redacted(item, treesBelow(trees, String(n)))),
    (made, n) => made[n] === list[n],
  );
}

function redactedObject(object: object, trees: readonly PointerTree[]): unknown {
  const entries = Object.entries(object);
  const made = entries.map(
    ([name, member]) => [name, redacted(member, treesBelow(trees, name.normalize('NFC')))] as const,
  );
  // A member may be called `__proto__`.
  return unlessSame(object, made, (_, n) => made[n]?.[1] === entries[n]?.[1], Object.fromEntries);
}

/** The value itself where nothing of it is another. */
function unlessSame<T>(
  value: object,
  made: readonly T[],
  isSame: (made: readonly T[], n: number) => boolean,
  finish: (made: readonly T[]) => unknown = (all) => all,
): unknown {
  return made.every((_, n) => isSame(made, n)) ? value : finish(made);
}

/** A name may be written in several ways in Unicode: all of them count as one. */
function treesBelow(trees: readonly PointerTree[], name: string): PointerTree[] {
  return trees.flatMap(({ every, named }) => [
    ...(every === null ? [] : [every]),
    ...(named.has(name) ? [named.get(name) as PointerTree] : []),
  ]);
}
