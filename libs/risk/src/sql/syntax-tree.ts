// SPDX-License-Identifier: Apache-2.0

/** What a statement does, as far as its syntax tree tells. */
export interface SqlFindings {
  /** what of it loses tables, columns or rows, in the words of SQL */
  readonly losses: readonly string[];
  /** command lines that the server starts */
  readonly programs: readonly string[];
  /** texts that the server runs as statements, or as a block of a procedural language */
  readonly texts: readonly string[];
  /** why a part of it can't be told */
  readonly unread: string | undefined;
}

/** A node of a syntax tree. */
export type TreeNode = Readonly<Record<string, unknown>>;
export const isRecord = (value: unknown): value is TreeNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The children of a node, in order; elements of lists count as children of what holds the list. */
export const childrenOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [];

/**
 * Visits the nodes below `root`, itself first. A stack of its own: how deep a tree is, its sender decides. `enter`
 * answers whether to look below.
 */
export function visit(root: unknown, enter: (node: TreeNode) => boolean): void {
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (isRecord(value) && !enter(value)) continue;
    const children = childrenOf(value);
    for (let index = children.length - 1; index >= 0; index -= 1) waiting.push(children[index]);
  }
}
