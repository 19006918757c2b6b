// SPDX-License-Identifier: Apache-2.0
import { decodeEscapes } from './escapes.ts';
import { isExact, UNKNOWN, UNSET, withoutMarkers, type Field } from './field.ts';
import { EMPTY, fieldsOf, joined, marked, type Mark, type MarkedText } from './marked-text.ts';
import { HOME, type Scope, type Value } from './scope.ts';
import { NOTHING, textOf, type Source } from './source.ts';
import { descendants, namedChildren, type SyntaxNode } from './syntax.ts';

/** What expansion needs of the shell: its variables, and to run what stands in a substitution. */
export interface Expander {
  readonly scope: Scope;
  script(text: string, stdin: Source): Source;
  /** runs the statements below the node in a subshell and returns their output */
  substitute(node: SyntaxNode): Source;
}

const QUOTES = new Set(['string', 'raw_string', 'ansi_c_string', 'translated_string']);
const SUBSTITUTIONS = new Set(['command_substitution', 'process_substitution']);

/** The fields that a word of a command becomes (POSIX XCU 2.6). */
export function expandWord(node: SyntaxNode, shell: Expander): Field[] {
  if (node.type === 'process_substitution') return [{ text: '/dev/fd/63', glob: false, source: shell.substitute(node) }];
  const quoted = [...descendants(node, ({ type }) => QUOTES.has(type))].length > 0;
  return fieldsOf(expand(node, shell), quoted, shell.scope.value('IFS').join(''));
}

/** The text that a word becomes where it isn't split: the value of an assignment, a here-string. */
export function expandText(node: SyntaxNode, shell: Expander): string {
  return expand(node, shell).text;
}

/** The text of a here-document's body; one with a quoted delimiter has no expansions below it. */
export function expandBody(node: SyntaxNode, shell: Expander): string {
  return expandParts(node, node.start, node.end, shell).text;
}

function expand(node: SyntaxNode, shell: Expander, first = true): MarkedText {
  switch (node.type) {
    case 'raw_string': return marked(node.text.slice(1, -1), 'q');
    case 'ansi_c_string': return marked(decodeEscapes(node.text.slice(2, -1)), 'q');
    case 'string': return expandParts(node, node.start + 1, node.end - 1, shell);
    case 'translated_string':
    case 'command_name':
    case 'concatenation':
      return joined(namedChildren(node).map((child, index) => expand(child, shell, first && index === 0)));
    case 'simple_expansion': return expandVariable(node.text.slice(1), 'x', shell);
    case 'expansion': return expandBraced(node, 'x', shell);
    case 'command_substitution': return marked(textOf(shell.substitute(node)).replace(/\n+$/, ''), 'x');
    // A number can't be a dangerous word, whichever it is.
    case 'arithmetic_expansion': return runWithin(node, shell, '1');
    case 'brace_expression': return marked('*', 'b');
    case 'process_substitution': return runWithin(node, shell, UNKNOWN);
    default: return node.children.some(({ named }) => named) ? runWithin(node, shell, UNKNOWN) : bareWord(node.text, first, shell.scope);
  }
}

/** Follows the substitutions anywhere below a node whose value is of no interest. */
export function runWithin(node: SyntaxNode, shell: Expander, value: string): MarkedText {
  for (const inner of outermost(node, SUBSTITUTIONS)) shell.substitute(inner);
  return marked(value, 'q');
}

function* outermost(node: SyntaxNode, types: ReadonlySet<string>): Generator<SyntaxNode> {
  if (types.has(node.type)) yield node;
  else for (const child of node.children) yield* outermost(child, types);
}

/** The text between two quotes or of a here-document, in which expansions aren't split. */
function expandParts(node: SyntaxNode, start: number, end: number, shell: Expander): MarkedText {
  const parts: MarkedText[] = [];
  const literal = (from: number, to: number): void => {
    const text = node.text.slice(from - node.start, to - node.start);
    parts.push(marked(text.replace(/\\\r?\n/g, '').replace(/\\([$`"\\])/g, '$1'), 'q'));
  };
  let at = start;
  for (const child of namedChildren(node)) {
    if (child.type === 'string_content' || child.type === 'heredoc_content') continue;
    literal(at, child.start);
    parts.push(expandQuoted(child, shell));
    at = child.end;
  }
  literal(at, end);
  return joined(parts);
}

function expandQuoted(node: SyntaxNode, shell: Expander): MarkedText {
  if (node.type === 'simple_expansion') return expandVariable(node.text.slice(1), 'q', shell);
  if (node.type === 'expansion') return expandBraced(node, 'q', shell);
  return marked(expand(node, shell, false).text, 'q');
}

function bareWord(text: string, first: boolean, scope: Scope): MarkedText {
  const tilde = first ? /^~([^/\\]*)/.exec(text) : null;
  const start = tilde ? marked(homeOf(tilde[1] ?? '', scope), 'q') : EMPTY;
  const parts = [start];
  for (const piece of text.slice(tilde?.[0].length ?? 0).split(/(\\[\s\S])/)) {
    parts.push(piece.length === 2 && piece.startsWith('\\') ? marked(piece.charAt(1), 'q') : marked(piece, 'b'));
  }
  return joined(parts);
}

function homeOf(user: string, scope: Scope): string {
  if (user === '') return scope.value('HOME').join(' ');
  if (user === '+') return scope.value('PWD').join(' ');
  return user === 'root' ? '/root' : `${HOME.slice(0, HOME.lastIndexOf('/'))}/${user}`;
}

/** `$@` and `${list[@]}` are several words even in quotes: the spaces between them are marked so that they split. */
function words(value: Value, mark: Mark, separate: boolean, between = ' '): MarkedText {
  return joined(value.flatMap((text, index) => [...(index > 0 ? [separate ? marked(' ', 'x') : marked(between, mark)] : []), marked(text, mark)]));
}

function expandVariable(name: string, mark: Mark, { scope }: Expander): MarkedText {
  return words(valueOf(name, scope), mark, name === '@', name === '*' ? firstOfIfs(mark, scope) : ' ');
}

function valueOf(name: string, scope: Scope): Value {
  if (name === '#') return ['1'];
  if (name === '0') return [scope.zero];
  const { positional } = scope;
  if (name === '@' || name === '*') return positional ? positional.map(({ text }) => text) : [UNKNOWN];
  if (/^\d+$/.test(name)) return positional ? [positional[Number(name) - 1]?.text ?? ''] : [UNKNOWN];
  return scope.value(name);
}

/** `"$*"` and `"${list[*]}"` are one word, joined by the first character of `IFS`. */
const firstOfIfs = (mark: Mark, scope: Scope): string => (mark === 'q' ? scope.value('IFS').join('').slice(0, 1) : ' ');

const BRACED = /^([#!]?)([A-Za-z_]\w*|\d+|[@*?#$!_-])(?:\[([^\]]*)\])?([\s\S]*)$/;

function expandBraced(node: SyntaxNode, mark: Mark, shell: Expander): MarkedText {
  const [, prefix = '', name = '', index, rest = ''] = BRACED.exec(node.text.slice(2, -1)) ?? [];
  if (name === '') return runWithin(node, shell, UNKNOWN);
  if (prefix === '#') return marked('1', mark);
  const value = prefix === '!' ? indirect(name, shell.scope) : element(valueOf(name, shell.scope), index);
  const separate = name === '@' || index === '@';
  const operator = /^(:?[-=+?]|\^\^?|,,?)/.exec(rest)?.[0];
  if (rest === '') return words(value, mark, separate, name === '*' || index === '*' ? firstOfIfs(mark, shell.scope) : ' ');
  // As a prompt: the substitutions in the value run.
  if (rest === '@P') shell.script(`: "${value.join(' ')}"`, NOTHING);
  if (operator === undefined) return runWithin(node, shell, isUnset(value) ? UNSET : UNKNOWN);
  return modified(node, { name, value, operator, mark, separate }, shell);
}

interface Modification {
  readonly name: string;
  readonly value: Value;
  readonly operator: string;
  readonly mark: Mark;
  readonly separate: boolean;
}

function modified(node: SyntaxNode, { name, value, operator, mark, separate }: Modification, shell: Expander): MarkedText {
  const other = (): MarkedText => {
    const word = namedChildren(node).at(-1);
    // The variable itself is a named child too: without a word after the operator there is nothing to expand.
    const text = word && word.start > node.start + 2 ? expandText(word, shell) : '';
    return marked(text, mark);
  };
  switch (operator.replace(':', '')) {
    case '-': return isUnset(value) || isEmpty(value) ? other() : words(value, mark, separate);
    case '=': {
      if (!isUnset(value) && !isEmpty(value)) return words(value, mark, separate);
      const text = other();
      shell.scope.set(name, [text.text]);
      return text;
    }
    case '+': return isUnset(value) || isEmpty(value) ? EMPTY : other();
    // The shell stops here if the variable is unset, so what follows sees a value.
    case '?': return isUnset(value) ? marked(UNKNOWN, mark) : words(value, mark, separate);
    default: return words(value.map((text) => (operator.startsWith('^') ? text.toUpperCase() : text.toLowerCase())), mark, separate);
  }
}

function element(value: Value, index: string | undefined): Value {
  if (index === '@' || index === '*') return value;
  const at = index === undefined ? 0 : Number(index);
  return Number.isInteger(at) ? [value.at(at) ?? UNKNOWN] : [UNKNOWN];
}

function indirect(name: string, scope: Scope): Value {
  const target = valueOf(name, scope).join(' ');
  return isExact(target) && /^\w+$/.test(target) ? valueOf(target, scope) : [UNKNOWN];
}

const isUnset = (value: Value): boolean => value.join('') !== '' && value.every((text) => text.includes(UNSET) && withoutMarkers(text) === '');
const isEmpty = (value: Value): boolean => value.join('') === '';
