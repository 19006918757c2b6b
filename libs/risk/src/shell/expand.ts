// SPDX-License-Identifier: Apache-2.0
import { decodeEscapes } from './escapes.ts';
import { outermost, putIn } from './expansions-in.ts';
import { noteArithmetic, noteEvaluation, noteName, notePrompt, setVariable, type Evaluator } from './evaluate.ts';
import { isExact, isNumber, NUMBER, UNKNOWN, UNSET, withoutMarkers, type Field, type Source } from './field.ts';
import { EMPTY, fieldsOf, joined, marked, type Mark, type MarkedText } from './marked-text.ts';
import type { Scope, Value } from './scope.ts';
import { elementOf, firstOfIfs, homeOf, isEmpty, isUnset, valueOf, words } from './parameters.ts';
import { NOTHING, textOf } from './source.ts';
import { namedChildren, type SyntaxNode } from './syntax.ts';

/** The parts of the shell that expansion uses: its variables, and running substitutions. */
export interface Expander extends Evaluator {
  /** runs the statements below the node in a subshell and returns their output */
  substitute(node: SyntaxNode): Source;
}

const QUOTES = new Set(['string', 'raw_string', 'ansi_c_string', 'translated_string']);
const SUBSTITUTIONS = new Set(['command_substitution', 'process_substitution']);

/** The fields of a word of a command (POSIX XCU 2.6). */
export function expandWord(node: SyntaxNode, shell: Expander): Field[] {
  if (node.type === 'process_substitution')
    return [{ text: '/dev/fd/63', glob: false, source: shell.substitute(node) }];
  const text = expand(node, shell);
  shell.meter.text(text.text.length);
  const fields = fieldsOf(text, hasQuotes(node), shell.scope.value('IFS').join(''));
  shell.meter.steps(fields.length);
  return fields;
}

/** Answers whether a part of the word is quoted, so that it stays a word even when it is empty. */
const hasQuotes = (node: SyntaxNode): boolean =>
  QUOTES.has(node.type) ||
  ((node.type === 'concatenation' || node.type === 'command_name') && node.children.some(hasQuotes));

/** The text of a word that isn't split: the value of an assignment, a here-string. */
export function expandText(node: SyntaxNode, shell: Expander): string {
  return expand(node, shell).text;
}

/** The text of a here-document's body; one with a quoted delimiter has no expansions. */
export function expandBody(node: SyntaxNode, shell: Expander): string {
  noteOldForms(node.text, shell);
  return expandParts(node, node.start, node.end, shell).text;
}

/** Substitutions between backquotes, and `$[…]`, which the grammar parses as text in a here-document. */
function noteOldForms(text: string, shell: Expander): void {
  shell.meter.text(text.length);
  const plain = text.replace(/\\[\s\S]/g, (escaped) => (escaped === '\\`' ? '  ' : escaped));
  const parts = plain.split('`');
  for (let at = 1; at < parts.length; at += 2) shell.script(parts[at] ?? '', NOTHING);
  for (const [, expression = '', close = ''] of plain.matchAll(/\$\[([^\][\n]*)(\]?)/g)) {
    if (close === '') noteEvaluation(expression, shell);
    else noteArithmetic(expression.replaceAll('$', ''), shell);
  }
}

function expand(node: SyntaxNode, shell: Expander, first = true): MarkedText {
  shell.meter.steps();
  const text = expanded(node, shell, first);
  shell.meter.text(text.text.length);
  return text;
}

function expanded(node: SyntaxNode, shell: Expander, first: boolean): MarkedText {
  switch (node.type) {
    case 'raw_string':
      return marked(node.text.slice(1, -1), 'q');
    case 'ansi_c_string':
      return marked(decodeEscapes(node.text.slice(2, -1)), 'q');
    case 'string':
      return expandParts(node, node.start + 1, node.end - 1, shell);
    case 'translated_string':
    case 'command_name':
    case 'concatenation':
      return joined(namedChildren(node).map((child, index) => expand(child, shell, first && index === 0)));
    case 'simple_expansion':
      return expandVariable(node.text.slice(1), 'x', shell);
    case 'expansion':
      return expandBraced(node, 'x', shell);
    case 'command_substitution':
      if (mayBeArithmetic(node.text)) noteArithmeticIn(node, node.start + 3, node.end - 2, shell);
      return marked(withoutLastLines(textOf(shell.substitute(node))), 'x');
    // No number is a dangerous word.
    case 'arithmetic_expansion':
      noteArithmeticIn(
        node,
        node.start + (node.text.startsWith('$[') ? 2 : 3),
        node.end - (node.text.startsWith('$[') ? 1 : 2),
        shell,
      );
      return marked('1', 'q');
    case 'brace_expression':
      return marked('*', 'b');
    case 'process_substitution':
      return runWithin(node, shell, UNKNOWN);
    default:
      return node.children.some(({ named }) => named)
        ? runWithin(node, shell, UNKNOWN)
        : bareWord(node.text, first, shell.scope);
  }
}

/**
 * Answers whether bash parses `((…))` or `$((…))` as arithmetic, where the grammar parses a subshell within another.
 */
export function mayBeArithmetic(text: string): boolean {
  const begin = /^\$?\(\(/.exec(text)?.[0].length ?? 0;
  if (begin === 0 || !text.endsWith('))')) return false;
  let open = 0;
  for (const char of text.slice(begin, -2)) {
    if (char === '(') open += 1;
    if (char === ')') open -= 1;
    if (open < 0) return false;
  }
  return open === 0;
}

/**
 * Interprets the arithmetic between two positions of a node, and notes the texts that it may evaluate a second time.
 */
export function noteArithmeticIn(node: SyntaxNode, start: number, end: number, shell: Expander): void {
  noteArithmetic(
    putIn(
      node,
      start,
      end,
      (part) => {
        const text = part.type === 'raw_string' ? part.text.slice(1, -1) : expandText(part, shell);
        // A quoted text is a part of the expression; any other value is evaluated a second time.
        if (
          part.type !== 'raw_string' &&
          part.type !== 'string' &&
          text !== '' &&
          !isNumber(text) &&
          !isUnsetHere(text, shell)
        )
          noteEvaluation(text, shell);
        return part.type === 'simple_expansion' || part.type === 'expansion' || part.type === 'command_substitution'
          ? '1'
          : text;
      },
      shell.meter,
    ),
    shell,
  );
}

const isUnsetHere = (text: string, { scope }: Expander): boolean => text === UNSET && !scope.maySetBefore;

/** A substitution removes line breaks at its end. */
function withoutLastLines(text: string): string {
  let end = text.length;
  while (end > 0 && text.charAt(end - 1) === '\n') end -= 1;
  return text.slice(0, end);
}

/** Interprets the substitutions anywhere below a node whose value doesn't matter. */
export function runWithin(node: SyntaxNode, shell: Expander, value: string): MarkedText {
  for (const inner of outermost(node, EVALUATING, shell.meter)) {
    if (SUBSTITUTIONS.has(inner.type)) shell.substitute(inner);
    else expandText(inner, shell);
  }
  return marked(value, 'q');
}

/** Nodes that run something, or evaluate something a second time, at any position. */
const EVALUATING = new Set([...SUBSTITUTIONS, 'expansion', 'arithmetic_expansion']);

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

function expandVariable(name: string, mark: Mark, { scope }: Expander): MarkedText {
  return words(valueOf(name, scope), mark, name === '@', name === '*' ? firstOfIfs(mark, scope) : ' ');
}

const BRACED = /^([#!]?)([A-Za-z_]\w*|\d+|[@*?#$!_-])([\s\S]*)$/;

function expandBraced(node: SyntaxNode, mark: Mark, shell: Expander): MarkedText {
  const [, prefix = '', name = '', behind = ''] = BRACED.exec(node.text.slice(2, -1)) ?? [];
  if (name === '') {
    for (const child of node.children) runWithin(child, shell, UNKNOWN);
    return marked(UNKNOWN, mark);
  }
  const element = node.children.find(({ type }) => type === 'subscript');
  const rest = element === undefined ? behind : node.text.slice(element.end - node.start, -1);
  const index = element === undefined ? undefined : indexOf(name, element, shell);
  if (prefix === '#') return marked('1', mark);
  const value = valueWith(prefix, name, index, rest, shell);
  const separate = name === '@' || index === '@';
  const operator = /^(:?[-=+?]|\^\^?|,,?)/.exec(rest)?.[0];
  if (rest === '')
    return words(value, mark, separate, name === '*' || index === '*' ? firstOfIfs(mark, shell.scope) : ' ');
  // As a prompt: the substitutions in the value run.
  if (rest === '@P') notePrompt(value.join(' '), shell);
  if (operator === undefined) return partOf(node, element, rest, value, shell);
  return modified(node, { name, value, operator, mark, separate }, shell);
}

/** The index of an element as a text. It is arithmetic, except where it is the key of an associative array. */
export function indexOf(name: string, element: SyntaxNode, shell: Expander): string {
  const open = element.start + element.text.indexOf('[') + 1;
  const isKey = shell.scope.attributes.get(name) === 'associative';
  if (isKey) return putIn(element, open, element.end - 1, (part) => expandText(part, shell), shell.meter);
  if (/^[@*]$/.test(element.text.slice(open - element.start, -1))) return element.text.slice(open - element.start, -1);
  noteArithmeticIn(element, open, element.end - 1, shell);
  return putIn(element, open, element.end - 1, ({ text }) => text, shell.meter);
}

function valueWith(prefix: string, name: string, index: string | undefined, rest: string, shell: Expander): Value {
  const isList = index === '@' || index === '*';
  if (prefix !== '!') return elementOf(valueOf(name, shell.scope), index);
  // `${!list[@]}` is the list of indices, which are numbers unless the array is associative; `${!prefix*}` lists names
  // of variables.
  if (isList && rest === '') return [shell.scope.attributes.has(name) ? UNKNOWN : NUMBER];
  if (index === undefined && /^[@*]$/.test(rest)) return [UNKNOWN];
  return indirect(elementOf(valueOf(name, shell.scope), index), shell);
}

/**
 * A part of the value, or the result of a replacement: `${x:1:2}`, `${x#a}`, `${x/a/b}`. The offset and the length of a
 * part are arithmetic.
 */
function partOf(
  node: SyntaxNode,
  element: SyntaxNode | undefined,
  rest: string,
  value: Value,
  shell: Expander,
): MarkedText {
  const start = node.end - 1 - rest.length;
  if (rest.startsWith(':')) noteArithmeticIn(node, start + 1, node.end - 1, shell);
  else
    for (const child of node.children) if (child !== element && child.start >= start) runWithin(child, shell, UNKNOWN);
  return marked(isUnset(value) ? UNSET : value.every(isNumber) && rest.startsWith(':') ? NUMBER : UNKNOWN, 'q');
}

interface Modification {
  readonly name: string;
  readonly value: Value;
  readonly operator: string;
  readonly mark: Mark;
  readonly separate: boolean;
}

function modified(
  node: SyntaxNode,
  { name, value, operator, mark, separate }: Modification,
  shell: Expander,
): MarkedText {
  const word = namedChildren(node).at(-1);
  // The variable itself is a named child too: without a word after the operator there is nothing to expand.
  const text = word && word.start > node.start + 2 ? expandText(word, shell) : '';
  if (word && mark === 'q') noteUnquoted(word, shell);
  // Its commands count in any case: another shell that is started here may have the variable unset.
  const other = marked(text, mark);
  switch (operator.replace(':', '')) {
    case '-':
      return isUnset(value) || isEmpty(value) ? other : words(value, mark, separate);
    case '=': {
      if (!isUnset(value) && !isEmpty(value)) {
        // An unknown value may be empty.
        if (value.every((text) => withoutMarkers(text) === '')) shell.scope.mayBe(name, [[text]]);
        return words(value, mark, separate);
      }
      setVariable(name, [[text]], shell);
      return other;
    }
    case '+':
      return isUnset(value) || isEmpty(value) ? EMPTY : other;
    // The shell stops here if the variable is unset, so later commands see a value.
    case '?':
      return isUnset(value) ? marked(UNKNOWN, mark) : words(value, mark, separate);
    default:
      return words(
        value.map((text) => (operator.startsWith('^') ? text.toUpperCase() : text.toLowerCase())),
        mark,
        separate,
      );
  }
}

/**
 * Within double quotes, a single quote in the alternative word is an ordinary character: the text after it is expanded.
 */
function noteUnquoted(word: SyntaxNode, shell: Expander): void {
  for (const { text } of outermost(word, RAW, shell.meter)) if (/[$`]/.test(text)) shell.script(`: "${text}"`, NOTHING);
}
const RAW = new Set(['raw_string']);

function indirect(value: Value, shell: Expander): Value {
  const target = value.join(' ');
  noteName(target, shell);
  return isExact(target) && /^\w+$/.test(target) ? valueOf(target, shell.scope) : [UNKNOWN];
}
