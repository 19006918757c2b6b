// SPDX-License-Identifier: Apache-2.0
import type { TreeCursor } from 'web-tree-sitter';
import type { Meter } from './budget.ts';

/**
 * A node of a parsed command, copied out of the parser's memory. `start` and `end` are UTF-16 offsets into the parsed
 * text.
 */
export interface SyntaxNode {
  readonly type: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** the name of the grammar's field of the node in its parent, if any */
  readonly field: string | null;
  readonly named: boolean;
  readonly children: readonly SyntaxNode[];
}

/** No usual command nests deeper; our own recursion is as deep as the tree. */
const DEPTH_MAX = 120;

/** Characters after which bash, too, begins a comment with `#`. */
const BEFORE_COMMENT = /(^|[\s;&|()])$/;
/** A line continuation between two words: bash joins them, the grammar doesn't. */
const SPLIT_WORD = /^(\\\r?\n)+$/;
const OPERATOR = /[;&|()<>]/;

/**
 * Copies the tree below the cursor, without comments. Undefined if it holds an error or an inserted token, or nests too
 * deep: the text is then not understood.
 * @throws BudgetSpent where the tree is larger than the budget
 */
export function copyTree(cursor: TreeCursor, text: string, meter: Meter, depth = 0): SyntaxNode | undefined {
  const { nodeType: type, startIndex: start, endIndex: end } = cursor;
  meter.spend('nodes');
  if (type === 'ERROR' || cursor.nodeIsMissing || depth > DEPTH_MAX) return undefined;
  const field = cursor.currentFieldName;
  const named = cursor.nodeIsNamed;
  const children: SyntaxNode[] = [];
  let hereString = -1;
  if (cursor.gotoFirstChild()) {
    do {
      if (type === 'redirected_statement' && isHereString(cursor, text)) {
        hereString = cursor.endIndex;
        continue;
      }
      if (cursor.nodeType === 'comment') {
        if (!BEFORE_COMMENT.test(text.charAt(cursor.startIndex - 1))) return undefined;
        continue;
      }
      const child = copyTree(cursor, text, meter, depth + 1);
      if (!child || splitsWord(text, children.at(-1)?.end, child.start)) return undefined;
      children.push(child.start === hereString ? { ...child, type: 'herestring_redirect' } : child);
    } while (cursor.gotoNextSibling());
    cursor.gotoParent();
  }
  return { type, text: text.slice(start, end), start, end, field, named, children };
}

/**
 * The grammar supports `<<<` only before other redirections; after one it finds an error `<<` and a redirection `<`.
 */
const isHereString = (cursor: TreeCursor, text: string): boolean =>
  cursor.nodeType === 'ERROR' &&
  text.slice(cursor.startIndex, cursor.endIndex + 1) === '<<<' &&
  cursor.endIndex - cursor.startIndex === 2;

function splitsWord(text: string, before: number | undefined, after: number): boolean {
  if (before === undefined || before >= after || !SPLIT_WORD.test(text.slice(before, after))) return false;
  return !OPERATOR.test(text.charAt(before - 1)) && !OPERATOR.test(text.charAt(after));
}

/** The named children, which are those with a meaning of their own. */
export const namedChildren = (node: SyntaxNode): readonly SyntaxNode[] => node.children.filter(({ named }) => named);

/** The first child of the field. */
export const fieldOf = (node: SyntaxNode, field: string): SyntaxNode | undefined =>
  node.children.find((child) => child.field === field);

/** Every node at or below `node` that the test selects. It walks the whole subtree: a repeated walk MUST be counted. */
export function* descendants(node: SyntaxNode, picks: (node: SyntaxNode) => boolean): Generator<SyntaxNode> {
  if (picks(node)) yield node;
  for (const child of node.children) yield* descendants(child, picks);
}
