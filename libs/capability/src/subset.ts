// SPDX-License-Identifier: Apache-2.0
import { BUDGET_DIMENSIONS, type FsRoot, type Grant } from '@writ/contract';
import { deniedPaths, denialOf, isAbove, isScopePath, scopeOf } from './fs-scope.ts';
import { coversNet, describeHost } from './net-scope.ts';
import { optionalBeyond } from './optional-lists.ts';
import { coversPattern } from './tool-pattern.ts';

/** A part of a grant that exceeds another one: the dimension and the member. */
export interface Excess {
  readonly dimension: keyof Grant;
  readonly detail: string;
}

/**
 * INVARIANT (children only narrow): a child's grant is a subset of its parent's, in every dimension. Returns each part
 * of `child` that exceeds `parent`; an empty list means that it is a subset.
 */
export function excessOf(child: Grant, parent: Grant): Excess[] {
  return [
    ...beyond(
      'tools',
      child.tools.filter((inner) => !parent.tools.some((outer) => coversPattern(outer, inner))),
    ),
    ...beyond('fs', rootsBeyond(child, parent)),
    ...beyond('net', child.net.filter((inner) => !coversNet(parent.net, inner)).map(describeHost)),
    ...beyond(
      'secrets',
      child.secrets.filter((name) => !parent.secrets.includes(name)),
    ),
    ...optionalBeyond(child, parent).flatMap(([name, members]) => beyond(name, members)),
    ...beyond('budgets', budgetsBeyond(child, parent)),
    ...(child.not_before < parent.not_before ? beyond('not_before', [String(child.not_before)]) : []),
    ...(child.expires_at > parent.expires_at ? beyond('expires_at', [String(child.expires_at)]) : []),
  ];
}

/** Answers whether `child` grants nothing that `parent` doesn't. */
export function isSubset(child: Grant, parent: Grant): boolean {
  return excessOf(child, parent).length === 0;
}

const beyond = (dimension: keyof Grant, details: readonly string[]): Excess[] =>
  details.map((detail) => ({ dimension, detail }));

function rootsBeyond(child: Grant, parent: Grant): string[] {
  const reads = scopeOf(parent.fs, 'read');
  const writes = scopeOf(parent.fs, 'write');
  const isDenied = denialOf(child.fs);
  // The child must deny what the parent denies below a root: a missing denial would grant it.
  const undenied = deniedPaths(parent.fs).filter((path) => !isDenied(path));
  const isBeyond = ({ path, read, write }: FsRoot): boolean =>
    (read && !reads(path)) ||
    (write && !writes(path)) ||
    ((read || write) && undenied.some((denied) => isAbove(path, denied)));
  return (
    child.fs
      // A root in another form grants or denies nothing, but would mislead readers of the token.
      .filter((root) => !isScopePath(root.path) || (root.denied !== true && !isDenied(root.path) && isBeyond(root)))
      .map(({ path }) => path)
  );
}

/**
 * A dimension that the parent limits must be limited in the child, at most as high; an unlimited parent allows any
 * child.
 */
function budgetsBeyond(child: Grant, parent: Grant): string[] {
  return BUDGET_DIMENSIONS.filter(
    (dimension) => (child.budgets[dimension] ?? Infinity) > (parent.budgets[dimension] ?? Infinity),
  );
}
