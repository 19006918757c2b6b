// SPDX-License-Identifier: Apache-2.0
import type { Meter } from '../shell/budget.ts';
import { descendants, fieldOf, namedChildren, type SyntaxNode } from '../shell/syntax.ts';
import { runsArguments, runsInput } from './runs-arguments.ts';

/** The quoting context of a text, which determines how something is inserted so that the shell reads it literally. */
export type Quoting = 'bare' | 'double' | 'single' | 'ansi' | 'document' | 'quoted_document';

/** A position in a command, with the nodes that contain it, the outermost first. */
export interface TextPosition {
  readonly path: readonly SyntaxNode[];
  readonly quoting: Quoting;
}

const QUOTED: Readonly<Record<string, Quoting>> = {
  string: 'double',
  string_content: 'double',
  raw_string: 'single',
  ansi_c_string: 'ansi',
  word: 'bare',
  heredoc_body: 'document',
  heredoc_content: 'document',
};

/** Facts about the whole command that each position needs, computed once. */
export class PlacedCommand {
  readonly tree: SyntaxNode;
  readonly functions: ReadonlySet<string>;
  /** whether something in it is declared as more than text: a number, or another's name, evaluates its value */
  readonly declaresMore: boolean;
  readonly #meter: Meter;
  readonly #inputs = new Map<SyntaxNode, string | null>();
  readonly #arguments = new Map<SyntaxNode, string | null>();

  constructor(tree: SyntaxNode, meter: Meter) {
    this.tree = tree;
    this.#meter = meter;
    this.functions = new Set(this.#below(tree, 'function_definition').map((node) => fieldOf(node, 'name')?.text ?? ''));
    const declared = this.#below(tree, 'declaration_command')
      .flatMap(namedChildren)
      .filter(({ type }) => type !== 'variable_assignment');
    this.declaresMore = declared.some(({ text }) => !/^[A-Za-z_]\w*$/.test(text) && !/^-[xrgp]+$/.test(text));
  }

  /** The position of the text to replace; null where the shell doesn't read it as text. */
  positionAt(position: number, length: number): TextPosition | null {
    const path: SyntaxNode[] = [];
    for (
      let node: SyntaxNode | undefined = this.tree;
      node !== undefined;
      node = childAt(node, position, position + length)
    )
      path.push(node);
    this.#meter.steps(path.length);
    const leaf = path.at(-1);
    const quoting = leaf === undefined ? undefined : QUOTED[leaf.type];
    if (leaf === undefined || quoting === undefined || leaf.start > position || leaf.end < position + length)
      return null;
    const start =
      path.findLast(({ type }) => type === 'heredoc_redirect')?.children.find(({ type }) => type === 'heredoc_start')
        ?.text ?? '';
    return { path, quoting: quoting === 'document' && /['"\\]/.test(start) ? 'quoted_document' : quoting };
  }

  /** Why the input of a command below the node might be run; null where it certainly is not. */
  inputRefuses(node: SyntaxNode): string | null {
    return foundOnce(
      this.#inputs,
      node,
      () =>
        this.#below(node, 'command')
          .map(runsInput)
          .find((one) => one !== null) ?? null,
    );
  }

  /**
   * Why a value that is a part of the command or declaration might be evaluated by it; null where it certainly is not.
   * It depends on all parts, so it is computed once for the node and not for each value.
   */
  argumentsRefuse(node: SyntaxNode): string | null {
    return foundOnce(this.#arguments, node, () => {
      this.#meter.steps(node.children.length);
      return node.type === 'command' ? runsArguments(node, this.functions) : declarationRefuses(node);
    });
  }

  #below(node: SyntaxNode, type: string): readonly SyntaxNode[] {
    return [
      ...descendants(node, (one) => {
        this.#meter.steps();
        return one.type === type;
      }),
    ];
  }
}

function foundOnce(found: Map<SyntaxNode, string | null>, node: SyntaxNode, find: () => string | null): string | null {
  const known = found.get(node);
  if (known !== undefined) return known;
  const why = find();
  found.set(node, why);
  return why;
}

/** The child that contains everything between the two positions. Children are in the order of the text. */
function childAt({ children }: SyntaxNode, start: number, end: number): SyntaxNode | undefined {
  let [low, high] = [0, children.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const child = children[middle];
    if (child === undefined) return undefined;
    if (child.end <= start) low = middle + 1;
    else if (child.start > start) high = middle - 1;
    else return child.end >= end ? child : undefined;
  }
  return undefined;
}

/** Parts of a word. */
const WITHIN_WORDS = new Set(['word', 'string', 'string_content', 'raw_string', 'ansi_c_string', 'concatenation']);
/** Nodes around a value that no value can change. */
const AROUND = new Set([
  'program',
  'list',
  'pipeline',
  'subshell',
  'if_statement',
  'elif_clause',
  'else_clause',
  'while_statement',
  'do_group',
  'negated_command',
  'redirected_statement',
  'function_definition',
  'for_statement',
  'case_statement',
  'case_item',
  'process_substitution',
  'variable_assignments',
  'heredoc_body',
  'heredoc_redirect',
  'herestring_redirect',
  'command',
  'variable_assignment',
  'declaration_command',
  ...WITHIN_WORDS,
]);
/** Variables that control a shell or the loader. */
const TELLS_SHELL =
  /^(?:BASH.*|SHELL.*|ENV|IFS|PATH|CDPATH|PS[0-9]|PROMPT_.*|LD_.*|GLOBIGNORE|HIST.*|FUNCNAME|OPT.*|POSIXLY_CORRECT|SECONDS|RANDOM|LINENO)$/;

/**
 * Why a value can't be inserted at the position as mere text, whatever its content; null where it can.
 * INVARIANT (text alone): every node around the position is known to read a value literally. Any other node is refused.
 */
export function unsafePosition({ path, quoting }: TextPosition, command: PlacedCommand): string | null {
  if (quoting === 'quoted_document') return 'a here-document whose delimiter is quoted';
  for (const [depth, node] of path.entries()) {
    const why =
      nodeRefuses(node, path[depth + 1], command) ??
      (node.type === 'variable_assignment' ? assignmentRefuses(node, path[depth + 1], path[depth - 1], command) : null);
    if (why !== null) return why;
  }
  const holder = path.findLast(({ type }) => !WITHIN_WORDS.has(type));
  return holder !== undefined && HOLDERS.has(holder.type) ? null : `a place of a \`${holder?.type ?? 'command'}\``;
}

/** Possible direct parents of a value. */
const HOLDERS = new Set(['command', 'variable_assignment', 'heredoc_body', 'herestring_redirect']);

function nodeRefuses(node: SyntaxNode, inner: SyntaxNode | undefined, command: PlacedCommand): string | null {
  switch (node.type) {
    case 'command':
      if (inner?.type === 'variable_assignment') return null;
      if (inner?.type === 'command_name') return 'the name of a command';
      return command.argumentsRefuse(node);
    case 'command_substitution':
      return node.children[0]?.type === '$(' ? null : 'a substitution in backticks: write `$(…)`';
    case 'compound_statement':
      return node.children[0]?.type === '{' ? null : 'arithmetic';
    case 'declaration_command':
      return inner?.type === 'variable_assignment' ? command.argumentsRefuse(node) : NO_EXPORT;
    case 'for_statement':
    case 'case_statement':
    case 'case_item':
      return inner?.field === 'value' || inner?.field === 'variable' ? 'what a loop or a `case` goes through' : null;
    case 'pipeline':
      return command.inputRefuses(node);
    case 'redirected_statement':
      return inner?.field === 'redirect' && inner.type !== 'file_redirect' ? command.inputRefuses(node) : null;
    case 'file_redirect':
      return 'the name of a file';
    case 'string':
      return null;
    default:
      return AROUND.has(node.type) ? null : `a place of a \`${node.type}\``;
  }
}

const EXPORTS = new Set(['export', 'readonly', 'local']);
const NO_EXPORT = 'a declaration that is no plain `export NAME=value`';

const declarationRefuses = (node: SyntaxNode): string | null =>
  EXPORTS.has(node.children[0]?.type ?? '') && namedChildren(node).every(({ type }) => type === 'variable_assignment')
    ? null
    : NO_EXPORT;

function assignmentRefuses(
  node: SyntaxNode,
  inner: SyntaxNode | undefined,
  outer: SyntaxNode | undefined,
  command: PlacedCommand,
): string | null {
  const name = fieldOf(node, 'name');
  if (name?.type !== 'variable_name' || inner?.field !== 'value' || inner.type === 'array')
    return 'an element of a list';
  if (TELLS_SHELL.test(name.text)) return `the value of \`${name.text}\`, by which the shell is told what to do`;
  if (outer?.type === 'command') return null;
  return command.declaresMore ? 'a variable in a command that declares some as more than text' : null;
}
