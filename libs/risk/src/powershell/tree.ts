// SPDX-License-Identifier: Apache-2.0
import type { TreeCursor } from 'web-tree-sitter';
import type { Meter } from '../shell/budget.ts';
import type { SyntaxNode } from '../shell/syntax.ts';

/** The grammar wraps each operand in a dozen levels of precedence, so a tree is much deeper than the source. */
const DEPTH_MAX = 600;

/** Levels without a meaning of their own where they hold one node. */
const LEVELS = new RegExp(
  [
    String.raw`^(?:(?:logical|bitwise|comparison|additive|multiplicative|format|range)(?:_argument)?_expression|`,
    String.raw`array_literal_expression|unary_expression|expression_with_unary_operator|argument_expression|`,
    String.raw`argument_expression_list|string_literal|integer_literal|statement_list|pipeline|pipeline_chain|`,
    String.raw`script_block|script_block_body)$`,
  ].join(''),
);

/**
 * Characters that PowerShell accepts as quotes and dashes, and special white space: the grammar supports none of them.
 */
const LOOKALIKES = /[\u2013-\u2015\u2018-\u201e\u0085\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff\0]/;

/** The grammar has no unquoted words joined by commas, and is slow on many of them. */
const COMMAS_MAX = 1000;

/** Within the parser's budget; error recovery in a longer text is slow. */
const CHARS_MAX = 16_384;

/** Answers whether the grammar may parse the text differently from PowerShell, or takes too long for it. */
export const deceives = (text: string): boolean =>
  text.length > CHARS_MAX || LOOKALIKES.test(text) || text.split(',', COMMAS_MAX + 2).length > COMMAS_MAX + 1;

/** A word of plain characters, which the grammar rejects where it is adjacent to another; it has no special meaning. */
const PLAIN_WORD = /^[\w,.=:/\\*?%+~#^!-]+$/;

/**
 * Copies the tree below the cursor, without comments and without levels that hold one node. Undefined if it holds an
 * error or an inserted token, or nests too deep: the text is then not understood.
 * @throws BudgetSpent where the tree is larger than the budget
 */
export function copyPowerShell(cursor: TreeCursor, text: string, meter: Meter, depth = 0): SyntaxNode | undefined {
  const { nodeType: type, startIndex: start, endIndex: end } = cursor;
  meter.spend('nodes');
  // Between adjacent words the grammar inserts a space, which has no meaning.
  if ((cursor.nodeIsMissing && type !== ' ') || depth > DEPTH_MAX) return undefined;
  const field = cursor.currentFieldName;
  const named = cursor.nodeIsNamed;
  if (type === 'ERROR') {
    const plain = text.slice(start, end);
    return depth > 0 && PLAIN_WORD.test(plain)
      ? { type: 'generic_token', text: plain, start, end, field, named: true, children: [] }
      : undefined;
  }
  const children: SyntaxNode[] = [];
  if (cursor.gotoFirstChild()) {
    do {
      if (cursor.nodeType === 'comment') {
        if (!isComment(text, cursor.startIndex, cursor.endIndex)) return undefined;
        continue;
      }
      const child = copyPowerShell(cursor, text, meter, depth + 1);
      if (!child) return undefined;
      children.push(child);
    } while (cursor.gotoNextSibling());
    cursor.gotoParent();
  }
  const [only] = children;
  if (only && children.length === 1 && only.named && LEVELS.test(type))
    return field === null ? only : { ...only, field };
  return { type, text: text.slice(start, end), start, end, field, named, children };
}

/**
 * The parts of a text that matter here: strings, comments and escapes, which stay unchanged, and between them words
 * that the grammar rejects.
 */
const PIECES = new RegExp(
  [
    // `--name="a b"` and `--name=value`
    String.raw`(?<=\s)(?<name>--?[A-Za-z][\w-]*=)(?:`,
    String.raw`"(?<text>(?:[^"\x60]|\x60[\s\S]|"")*)"|'(?<literal>(?:[^']|'')*)'|(?<plain>[^\s'"\x60$(){};|&,<>]+))|`,
    // `--`, after which everything is an operand
    String.raw`(?<=\s)(?<dashes>--)(?=\s|$)|`,
    // `./build.sh` as a command
    String.raw`(?<before>^|[\n;|{(][ \t]*)(?<path>\.{1,2}/[\w./-]+)|`,
    String.raw`'(?:[^']|'')*'|"(?:[^"\x60]|\x60[\s\S]|"")*"|<#[\s\S]*?(?:#>|$)|#[^\n]*|\x60[\s\S]|`,
    // `a, b`
    String.raw`(?<item>[\w.*?\\/:-]),[ \t]+(?=[\w.*?\\/])`,
  ].join(''),
  'g',
);

/** The text with these words in a form that the grammar accepts, with the same meaning in PowerShell. */
export const respelled = (text: string): string =>
  text.replace(PIECES, (all, ...rest: unknown[]) => {
    const {
      name,
      text: inner,
      literal,
      plain,
      dashes,
      before,
      path,
      item,
    } = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    if (name !== undefined) return inner !== undefined ? `"${name}${inner}"` : `'${name}${literal ?? plain ?? ''}'`;
    if (dashes !== undefined) return "'--'";
    if (path !== undefined) return `${before ?? ''}& '${path}'`;
    return item !== undefined ? `${item},` : all;
  });

/** PowerShell begins a comment where a word could begin, and ends one with the first `#>`. */
function isComment(text: string, start: number, end: number): boolean {
  if (text.startsWith('<#', start)) return text.indexOf('#>', start) === end - 2;
  return start === 0 || /[\s;|&(){},=]/.test(text.charAt(start - 1));
}
