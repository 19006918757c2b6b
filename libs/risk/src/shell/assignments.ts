// SPDX-License-Identifier: Apache-2.0
import { noteVariable } from '../programs/variables.ts';
import { combinations, pinned } from './combinations.ts';
import { noteEvaluation, noteIndex, noteName, setVariable } from './evaluate.ts';
import { indexOf } from './expand.ts';
import { isExact, nameOf, UNKNOWN, UNSET, type Source } from './field.ts';
import { noteForkBomb } from './fork-bomb.ts';
import type { Attribute, Value } from './scope.ts';
import { NOTHING } from './source.ts';
import type { StatementShell } from './statement-shell.ts';
import { fieldOf, namedChildren, type SyntaxNode } from './syntax.ts';

/** `name=value`, `name+=value`, `name=(a b)`, `name[0]=value`. */
export function assign(node: SyntaxNode, shell: StatementShell): Source {
  const target = fieldOf(node, 'name');
  const element = target?.type === 'subscript' ? target : undefined;
  const name = (element === undefined ? target : fieldOf(element, 'name'))?.text ?? '';
  const value = fieldOf(node, 'value');
  const appends = node.children.some(({ type }) => type === '+=');
  const values = combinations(node, shell).map((pins) =>
    pinned(shell.scope, pins, () => {
      if (element !== undefined) indexOf(name, element, shell);
      const assigned = valueOf(name, value, shell);
      if (element !== undefined) return assigned;
      return appends
        ? appended(shell.scope.isSet(name) ? shell.scope.value(name) : [''], assigned, value?.type === 'array')
        : assigned;
    }),
  );
  for (const one of values) shell.meter.text(one.reduce((length, text) => length + text.length, one.length));
  noteVariable(name, values, shell);
  if (element === undefined) setVariable(name, values, shell);
  else assignElement(name, values, shell);
  return NOTHING;
}

/** Assigning an element of an array leaves the others unchanged. */
function assignElement(name: string, values: readonly Value[], shell: StatementShell): void {
  const before = shell.scope.possible(name);
  setVariable(name, values, shell);
  shell.scope.become(name, before);
  shell.scope.mayBe(name, values);
}

function valueOf(name: string, node: SyntaxNode | undefined, shell: StatementShell): Value {
  if (!node) return [''];
  if (node.type !== 'array') return bounded([shell.text(node)]);
  return bounded(
    namedChildren(node).flatMap((item) => {
      if (!item.text.startsWith('[')) return shell.words(item).map(nameOf);
      // `([index]=value)` isn't split.
      const text = shell.text(item);
      const index = /^\[([\s\S]*)\]\+?=/.exec(text)?.[1];
      if (index !== undefined) noteIndex(name, index, shell);
      return [index === undefined ? text : text.slice(index.length + 2).replace(/^\+?=/, '')];
    }),
  );
}

/**
 * The most elements of a list, and characters of a text, to which a script appends repeatedly. A longer one is unknown:
 * it would be copied each time.
 */
const ELEMENTS_MAX = 1024;
const ADDED_CHARS_MAX = 4096;
/** The most characters of a value, for values that are doubled repeatedly. A script in a variable is shorter. */
const VALUE_CHARS_MAX = 16_384;
const bounded = (value: Value): Value =>
  value.length > ELEMENTS_MAX || value.some(({ length }) => length > VALUE_CHARS_MAX) ? [UNKNOWN] : value;

function appended(before: Value, value: Value, array: boolean): Value {
  if (array) return before.length + value.length > ELEMENTS_MAX ? [UNKNOWN] : [...before, ...value];
  const text = `${before[0] ?? ''}${value[0] ?? ''}`;
  return [text.length > ADDED_CHARS_MAX ? UNKNOWN : text, ...before.slice(1)];
}

const ATTRIBUTES: readonly (readonly [RegExp, Attribute])[] = [
  [/^-\w*n/, 'reference'],
  [/^-\w*A/, 'associative'],
  [/^-\w*i/, 'integer'],
];
/** Builtins that evaluate the index in a name. The others refuse it. */
const TAKE_INDEX = new Set(['declare', 'typeset', 'local']);

/** `export`, `declare`, `local` and similar builtins: their assignments, also where one is a quoted word. */
export function declare(node: SyntaxNode, shell: StatementShell): Source {
  const children = namedChildren(node);
  const words = new Map(
    children
      .filter(({ type }) => type !== 'variable_assignment' && type !== 'variable_name')
      .map((child) => [child, shell.words(child).map(({ text }) => text)]),
  );
  const given = [...words.values()].flat();
  const attribute = ATTRIBUTES.find(([flag]) => given.some((text) => flag.test(text)))?.[1];
  const takesIndex = TAKE_INDEX.has(node.children[0]?.type ?? '');
  const isList = given.some((text) => /^-\w*[aA]/.test(text));
  const isOwn = takesIndex && !given.some((text) => /^-\w*g/.test(text));
  for (const child of children) {
    if (child.type === 'variable_assignment') declareAssigned(child, { attribute, takesIndex, isList, isOwn }, shell);
    else if (child.type === 'variable_name') declareName(child.text, { attribute, isOwn }, shell);
    else for (const text of words.get(child) ?? []) declareWord(text, { attribute, takesIndex, isList, isOwn }, shell);
  }
  return NOTHING;
}

function declareAssigned(node: SyntaxNode, { attribute, isList, isOwn }: Declared, shell: StatementShell): void {
  const target = fieldOf(node, 'name');
  const name = (target?.type === 'subscript' ? fieldOf(target, 'name') : target)?.text ?? '';
  if (isOwn) shell.scope.makeOwn(name);
  setAttribute(name, attribute, shell);
  assign(node, shell);
  const value = fieldOf(node, 'value');
  // A quoted list is expanded once more where an array is declared.
  if (value !== undefined && value.type !== 'array')
    for (const [text = ''] of shell.scope.possible(name)) noteList(name, text, isList, shell);
}

interface Declared {
  readonly attribute: Attribute | undefined;
  /** whether a name with an index is accepted */
  readonly takesIndex: boolean;
  readonly isList: boolean;
  /** whether it is local to a function */
  readonly isOwn: boolean;
}

/** A function's local name has no value until it gets one. */
function declareName(
  name: string,
  { attribute, isOwn }: Pick<Declared, 'attribute' | 'isOwn'>,
  shell: StatementShell,
): void {
  if (isOwn && shell.scope.makeOwn(name)) shell.scope.set(name, [UNSET]);
  setAttribute(name, attribute, shell);
}

function declareWord(text: string, { attribute, takesIndex, isList, isOwn }: Declared, shell: StatementShell): void {
  if (/^[-+]/.test(text)) return;
  const equals = text.search(/\+?=/);
  const name = equals < 0 ? text : text.slice(0, equals);
  if (takesIndex) noteName(name, shell);
  if (!/^[A-Za-z_]\w*$/.test(name)) return;
  if (equals < 0) return declareName(name, { attribute, isOwn }, shell);
  if (isOwn) shell.scope.makeOwn(name);
  setAttribute(name, attribute, shell);
  const value = text.slice(equals).replace(/^\+?=/, '');
  noteVariable(name, [[value]], shell);
  setVariable(name, [[value]], shell);
  noteList(name, value, isList, shell);
}

/** Where a list is declared, the text of a list is expanded once more. */
function noteList(name: string, value: string, isList: boolean, shell: StatementShell): void {
  if (isList && (shell.scope.maySetBefore ? !isExact(value) : !isExact(value.replaceAll(UNSET, ''))))
    noteEvaluation(value, shell);
  if (/^\(.*[$`[]/s.test(value)) noteEvaluation(value, shell);
  if (value.startsWith('(') && isExact(value)) shell.script(`${name}=${value}`, NOTHING);
}

function setAttribute(name: string, attribute: Attribute | undefined, shell: StatementShell): void {
  if (attribute === undefined) return;
  shell.scope.attributes.set(name, attribute);
  if (attribute === 'reference') shell.scope.set(name, [UNKNOWN]);
}

/** `unset name`: an index in the name is evaluated. */
export function unset(node: SyntaxNode, shell: StatementShell): Source {
  let before = -1;
  for (const child of namedChildren(node)) {
    for (const { text } of child.type === 'variable_name' ? [{ text: child.text }] : shell.words(child)) {
      if (text.startsWith('-')) continue;
      // The grammar makes the index of a plain name a separate word.
      if (text.startsWith('[') && child.start === before) {
        noteName(`a${text}`, shell);
        continue;
      }
      noteName(text, shell);
      shell.scope.set(text, []);
      shell.scope.attributes.delete(text);
      if (text === 'HISTFILE') shell.act('trace_removal', 'unset', text);
    }
    before = child.end;
  }
  return NOTHING;
}

export function define(node: SyntaxNode, shell: StatementShell): Source {
  const name = fieldOf(node, 'name')?.text ?? '';
  const body = fieldOf(node, 'body');
  if (!body) return NOTHING;
  shell.scope.functions.set(name, body);
  shell.scope.uncalled.add(body);
  noteForkBomb(name, body, shell);
  return NOTHING;
}
