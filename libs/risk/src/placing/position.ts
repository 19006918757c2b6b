// SPDX-License-Identifier: Apache-2.0
import { descendants, fieldOf, namedChildren, type SyntaxNode } from '../shell/syntax.ts';
import { runsArguments, runsInput } from './runs-arguments.ts';

/** What a text stands in: it decides how something is put there so that the shell takes it as it is. */
export type Quoting = 'bare' | 'double' | 'single' | 'ansi' | 'document' | 'quoted_document';

/** A place in a command, with the nodes that it stands in, the outermost first. */
export interface Place {
  readonly path: readonly SyntaxNode[];
  readonly quoting: Quoting;
}

const QUOTED: Readonly<Record<string, Quoting>> = { string: 'double', string_content: 'double', raw_string: 'single', ansi_c_string: 'ansi', word: 'bare', heredoc_body: 'document', heredoc_content: 'document' };

/** Where `text`, which stands once below the node, is put; null where the shell reads it as something else than text. */
export function placeOf(tree: SyntaxNode, text: string): Place | null {
  const path: SyntaxNode[] = [];
  for (let node: SyntaxNode | undefined = tree; node !== undefined; node = node.children.find((child) => child.text.includes(text))) path.push(node);
  const leaf = path.at(-1);
  const quoting = leaf === undefined ? undefined : QUOTED[leaf.type];
  if (leaf === undefined || quoting === undefined || !leaf.text.includes(text)) return null;
  const start = path.findLast(({ type }) => type === 'heredoc_redirect')?.children.find(({ type }) => type === 'heredoc_start')?.text ?? '';
  return { path, quoting: quoting === 'document' && /['"\\]/.test(start) ? 'quoted_document' : quoting };
}

/** Parts of a word. */
const WITHIN_WORDS = new Set(['word', 'string', 'string_content', 'raw_string', 'ansi_c_string', 'concatenation']);
/** Where a value can't change what is around it. */
const AROUND = new Set([
  'program', 'list', 'pipeline', 'subshell', 'if_statement', 'elif_clause', 'else_clause', 'while_statement', 'do_group', 'negated_command', 'redirected_statement', 'function_definition',
  'for_statement', 'case_statement', 'case_item', 'process_substitution', 'variable_assignments', 'heredoc_body', 'heredoc_redirect', 'herestring_redirect', 'command', 'variable_assignment', 'declaration_command', ...WITHIN_WORDS,
]);
/** Variables by which a shell or the loader is told what to do. */
const TELLS_SHELL = /^(?:BASH.*|SHELL.*|ENV|IFS|PATH|CDPATH|PS[0-9]|PROMPT_.*|LD_.*|GLOBIGNORE|HIST.*|FUNCNAME|OPT.*|POSIXLY_CORRECT|SECONDS|RANDOM|LINENO)$/;

/**
 * Why a value can't be put at the place so that it is text and nothing else, whatever stands in it; null where it can.
 * INVARIANT (text alone): from the place outwards every node is known to take a value as it is. What isn't known is refused.
 */
export function unsafePlace({ path, quoting }: Place, tree: SyntaxNode): string | null {
  if (quoting === 'quoted_document') return 'a here-document whose delimiter is quoted';
  const functions = new Set([...descendants(tree, ({ type }) => type === 'function_definition')].map((node) => fieldOf(node, 'name')?.text ?? ''));
  for (const [depth, node] of path.entries()) {
    const why = nodeRefuses(node, path[depth + 1], functions) ?? (node.type === 'variable_assignment' ? assignmentRefuses(node, path[depth + 1], path[depth - 1], tree) : null);
    if (why !== null) return why;
  }
  const holder = path.findLast(({ type }) => !WITHIN_WORDS.has(type));
  return holder !== undefined && HOLDERS.has(holder.type) ? null : `a place of a \`${holder?.type ?? 'command'}\``;
}

/** What a value may be a direct part of. */
const HOLDERS = new Set(['command', 'variable_assignment', 'heredoc_body', 'herestring_redirect']);

function nodeRefuses(node: SyntaxNode, inner: SyntaxNode | undefined, functions: ReadonlySet<string>): string | null {
  switch (node.type) {
    case 'command':
      if (inner?.type === 'variable_assignment') return null;
      if (inner?.type === 'command_name') return 'the name of a command';
      return runsArguments(node, functions);
    case 'command_substitution': return node.children[0]?.type === '$(' ? null : 'a substitution in backticks: write `$(…)`';
    case 'compound_statement': return node.children[0]?.type === '{' ? null : 'arithmetic';
    case 'declaration_command': return inner?.type === 'variable_assignment' && EXPORTS.has(node.children[0]?.type ?? '') && namedChildren(node).every(({ type }) => type === 'variable_assignment')
      ? null : 'a declaration that is no plain `export NAME=value`';
    case 'for_statement': case 'case_statement': case 'case_item': return inner?.field === 'value' || inner?.field === 'variable' ? 'what a loop or a `case` goes through' : null;
    case 'pipeline': return inputRefuses(node);
    case 'redirected_statement': return inner?.field === 'redirect' && inner.type !== 'file_redirect' ? inputRefuses(node) : null;
    case 'file_redirect': return 'the name of a file';
    case 'string': return null;
    default: return AROUND.has(node.type) ? null : `a place of a \`${node.type}\``;
  }
}

const EXPORTS = new Set(['export', 'readonly', 'local']);

const inputRefuses = (node: SyntaxNode): string | null => [...descendants(node, ({ type }) => type === 'command')].map(runsInput).find((why) => why !== null) ?? null;

function assignmentRefuses(node: SyntaxNode, inner: SyntaxNode | undefined, outer: SyntaxNode | undefined, tree: SyntaxNode): string | null {
  const name = fieldOf(node, 'name');
  if (name?.type !== 'variable_name' || inner?.field !== 'value' || inner.type === 'array') return 'an element of a list';
  if (TELLS_SHELL.test(name.text)) return `the value of \`${name.text}\`, by which the shell is told what to do`;
  if (outer?.type === 'command') return null;
  // A variable that is declared as a number or as another's name evaluates what it is given.
  const declares = [...descendants(tree, ({ type }) => type === 'declaration_command')].flatMap(namedChildren).filter(({ type }) => type !== 'variable_assignment');
  return declares.some(({ text }) => !/^[A-Za-z_]\w*$/.test(text) && !/^-[xrgp]+$/.test(text)) ? 'a variable in a command that declares some as more than text' : null;
}
