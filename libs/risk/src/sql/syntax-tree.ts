// SPDX-License-Identifier: Apache-2.0

/** The effects of a statement, as far as its syntax tree shows them. */
export interface SqlFindings {
  /** its operations that lose tables, columns or rows, in SQL's terms */
  readonly losses: readonly string[];
  /** command lines that the server starts */
  readonly programs: readonly string[];
  /** texts that the server runs as statements, or as a block of a procedural language */
  readonly texts: readonly string[];
  /** why a part of it is unknown */
  readonly unread: string | undefined;
}

/** A node of a syntax tree. */
export type TreeNode = Readonly<Record<string, unknown>>;
export const isRecord = (value: unknown): value is TreeNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The children of a node, in order; elements of a list are children of the list's parent. */
export const childrenOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [];

/**
 * Visits the nodes below `root`, itself first. It uses an explicit stack, since the sender controls the depth of the
 * tree. `enter` returns whether to descend.
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
