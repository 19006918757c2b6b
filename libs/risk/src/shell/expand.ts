// SPDX-License-Identifier: Apache-2.0
import { decodeEscapes } from './escapes.ts';
import { noteArithmetic, noteEvaluation, noteName, notePrompt, setVariable, type Evaluator } from './evaluate.ts';
import { isExact, isNumber, NUMBER, UNKNOWN, UNSET, withoutMarkers, type Field } from './field.ts';
import { EMPTY, fieldsOf, joined, marked, type Mark, type MarkedText } from './marked-text.ts';
import { HOME, type Scope, type Value } from './scope.ts';
import { NOTHING, textOf, type Source } from './source.ts';
import { namedChildren, type SyntaxNode } from './syntax.ts';

/** What expansion needs of the shell: its variables, and to run what stands in a substitution. */
export interface Expander extends Evaluator {
  /** runs the statements below the node in a subshell and returns their output */
  substitute(node: SyntaxNode): Source;
}

const QUOTES = new Set(['string', 'raw_string', 'ansi_c_string', 'translated_string']);
const SUBSTITUTIONS = new Set(['command_substitution', 'process_substitution']);

/** The fields that a word of a command becomes (POSIX XCU 2.6). */
export function expandWord(node: SyntaxNode, shell: Expander): Field[] {
  if (node.type === 'process_substitution')
    return [{ text: '/dev/fd/63', glob: false, source: shell.substitute(node) }];
  const text = expand(node, shell);
  shell.meter.text(text.text.length);
  const fields = fieldsOf(text, hasQuotes(node), shell.scope.value('IFS').join(''));
  shell.meter.steps(fields.length);
  return fields;
}

/** Answers whether the word is quoted somewhere, so that it is a word even if nothing is left of it. */
const hasQuotes = (node: SyntaxNode): boolean =>
  QUOTES.has(node.type) ||
  ((node.type === 'concatenation' || node.type === 'command_name') && node.children.some(hasQuotes));

/** The text that a word becomes where it isn't split: the value of an assignment, a here-string. */
export function expandText(node: SyntaxNode, shell: Expander): string {
  return expand(node, shell).text;
}

/** The text of a here-document's body; one with a quoted delimiter has no expansions below it. */
export function expandBody(node: SyntaxNode, shell: Expander): string {
  noteOldForms(node.text, shell);
  return expandParts(node, node.start, node.end, shell).text;
}

/** Substitutions between backquotes, and `$[…]`, which the grammar takes for text in a here-document. */
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
    // A number can't be a dangerous word, whichever it is.
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
 * Answers whether bash takes `((…))` or `$((…))` for arithmetic, where the grammar takes it for a subshell within
 * another.
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

/** Expansions, which stand for their value in arithmetic. */
const EXPANSIONS = new Set([
  'simple_expansion',
  'expansion',
  'command_substitution',
  'process_substitution',
  'arithmetic_expansion',
  'string',
  'raw_string',
  'ansi_c_string',
  'translated_string',
]);

/** Follows the arithmetic that stands between two places of a node, and notes what it may evaluate a second time. */
export function noteArithmeticIn(node: SyntaxNode, start: number, end: number, shell: Expander): void {
  noteArithmetic(
    putIn(
      node,
      start,
      end,
      (part) => {
        const text = part.type === 'raw_string' ? part.text.slice(1, -1) : expandText(part, shell);
        // A text between quotes is a part of the expression, any other value is one that is evaluated a second time.
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
      shell,
    ),
    shell,
  );
}

const isUnsetHere = (text: string, { scope }: Expander): boolean => text === UNSET && !scope.maySetBefore;

/** The text between two places of a node, with something in the place of each expansion. */
function putIn(
  node: SyntaxNode,
  start: number,
  end: number,
  instead: (part: SyntaxNode) => string,
  shell: Expander,
): string {
  const parts: string[] = [];
  let at = start;
  // An expansion isn't put into itself: what is asked for is a part of it then.
  for (const part of outermost(node, EXPANSIONS, shell, start > node.start ? node : undefined)) {
    if (part.start < start || part.end > end) continue;
    parts.push(node.text.slice(at - node.start, part.start - node.start), instead(part));
    at = part.end;
  }
  parts.push(node.text.slice(at - node.start, end - node.start));
  return parts.join('');
}

/** A substitution leaves out the line ends at its end. */
function withoutLastLines(text: string): string {
  let end = text.length;
  while (end > 0 && text.charAt(end - 1) === '\n') end -= 1;
  return text.slice(0, end);
}

/** Follows the substitutions anywhere below a node whose value is of no interest. */
export function runWithin(node: SyntaxNode, shell: Expander, value: string): MarkedText {
  for (const inner of outermost(node, EVALUATING, shell)) {
    if (SUBSTITUTIONS.has(inner.type)) shell.substitute(inner);
    else expandText(inner, shell);
  }
  return marked(value, 'q');
}

/** What runs something, or evaluates something a second time, wherever it stands. */
const EVALUATING = new Set([...SUBSTITUTIONS, 'expansion', 'arithmetic_expansion']);

/** The nodes of the types that stand in no other such node; the node `within` itself isn't one. */
function outermost(
  node: SyntaxNode,
  types: ReadonlySet<string>,
  shell: Expander,
  within?: SyntaxNode,
): readonly SyntaxNode[] {
  const found: SyntaxNode[] = [];
  const visit = (one: SyntaxNode): void => {
    shell.meter.steps();
    if (one !== within && types.has(one.type)) found.push(one);
    else for (const child of one.children) visit(child);
  };
  visit(node);
  return found;
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
  return joined(
    value.flatMap((text, index) => [
      ...(index > 0 ? [separate ? marked(' ', 'x') : marked(between, mark)] : []),
      marked(text, mark),
    ]),
  );
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
  if (isKey) return putIn(element, open, element.end - 1, (part) => expandText(part, shell), shell);
  if (/^[@*]$/.test(element.text.slice(open - element.start, -1))) return element.text.slice(open - element.start, -1);
  noteArithmeticIn(element, open, element.end - 1, shell);
  return putIn(element, open, element.end - 1, ({ text }) => text, shell);
}

function valueWith(prefix: string, name: string, index: string | undefined, rest: string, shell: Expander): Value {
  const isList = index === '@' || index === '*';
  if (prefix !== '!') return elementOf(valueOf(name, shell.scope), index);
  // `${!list[@]}` are the indices, numbers unless the array is an associative one; `${!prefix*}` are names of
  // variables.
  if (isList && rest === '') return [shell.scope.attributes.has(name) ? UNKNOWN : NUMBER];
  if (index === undefined && /^[@*]$/.test(rest)) return [UNKNOWN];
  return indirect(elementOf(valueOf(name, shell.scope), index), shell);
}

/**
 * A part of the value, or what is made of it: `${x:1:2}`, `${x#a}`, `${x/a/b}`. Where the part begins and how long it
 * is, is arithmetic.
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
  // What runs in it counts in any case: another shell that is started here may have the variable unset.
  const other = marked(text, mark);
  switch (operator.replace(':', '')) {
    case '-':
      return isUnset(value) || isEmpty(value) ? other : words(value, mark, separate);
    case '=': {
      if (!isUnset(value) && !isEmpty(value)) {
        // What isn't known may be nothing.
        if (value.every((text) => withoutMarkers(text) === '')) shell.scope.mayBe(name, [[text]]);
        return words(value, mark, separate);
      }
      setVariable(name, [[text]], shell);
      return other;
    }
    case '+':
      return isUnset(value) || isEmpty(value) ? EMPTY : other;
    // The shell stops here if the variable is unset, so what follows sees a value.
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
 * Within double quotes, a single quote of the other word is a character like any other: what stands behind it is
 * expanded.
 */
function noteUnquoted(word: SyntaxNode, shell: Expander): void {
  for (const { text } of outermost(word, RAW, shell)) if (/[$`]/.test(text)) shell.script(`: "${text}"`, NOTHING);
}
const RAW = new Set(['raw_string']);

function elementOf(value: Value, index: string | undefined): Value {
  if (index === '@' || index === '*') return value;
  // What was unset, or is a list of nothing.
  if (value.length === 0) return [UNSET];
  const at = index === undefined ? 0 : Number(index);
  return Number.isInteger(at) ? [value.at(at) ?? UNKNOWN] : [value.every(isNumber) ? NUMBER : UNKNOWN];
}

function indirect(value: Value, shell: Expander): Value {
  const target = value.join(' ');
  noteName(target, shell);
  return isExact(target) && /^\w+$/.test(target) ? valueOf(target, shell.scope) : [UNKNOWN];
}

const isUnset = (value: Value): boolean =>
  value.join('') !== '' && value.every((text) => text.includes(UNSET) && withoutMarkers(text) === '');
const isEmpty = (value: Value): boolean => value.join('') === '';
