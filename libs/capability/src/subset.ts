// SPDX-License-Identifier: Apache-2.0
import { BUDGET_DIMENSIONS, type FsRoot, type Grant } from '@writ/contract';
import { deniedPaths, denialOf, isAbove, isScopePath, scopeOf } from './fs-scope.ts';
import { coversNet } from './net-scope.ts';
import { optionalBeyond } from './optional-lists.ts';
import { coversPattern } from './tool-pattern.ts';

/** Where a grant reaches beyond another: the dimension, and the part of it that does. */
export interface Excess {
  readonly dimension: keyof Grant;
  readonly detail: string;
}

/**
 * INVARIANT (children only narrow): what a child grants is a subset of what its parent grants, in every dimension.
 * Returns each place where `child` reaches beyond `parent`; none means that it is a subset.
 */
export function excessOf(child: Grant, parent: Grant): Excess[] {
  return [
    ...beyond(
      'tools',
      child.tools.filter((inner) => !parent.tools.some((outer) => coversPattern(outer, inner))),
    ),
    ...beyond('fs', rootsBeyond(child, parent)),
    ...beyond(
      'net',
      child.net.filter((inner) => !coversNet(parent.net, inner)).map(({ domain }) => domain),
    ),
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
  // What the parent denies below a root, the child has to deny too: what it leaves out it would grant.
  const open = deniedPaths(parent.fs).filter((path) => !isDenied(path));
  const isBeyond = ({ path, read, write }: FsRoot): boolean =>
    (read && !reads(path)) ||
    (write && !writes(path)) ||
    ((read || write) && open.some((denied) => isAbove(path, denied)));
  return (
    child.fs
      // A root in another form grants or denies nothing itself, but whoever reads the token would think that it does.
      .filter((root) => !isScopePath(root.path) || (root.denied !== true && !isDenied(root.path) && isBeyond(root)))
      .map(({ path }) => path)
  );
}

/**
 * A dimension that the parent bounds must be bounded in the child, at most as high; an unbounded parent takes any
 * child.
 */
function budgetsBeyond(child: Grant, parent: Grant): string[] {
  return BUDGET_DIMENSIONS.filter(
    (dimension) => (child.budgets[dimension] ?? Infinity) > (parent.budgets[dimension] ?? Infinity),
  );
}
