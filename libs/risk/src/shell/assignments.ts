// SPDX-License-Identifier: Apache-2.0
import { combinations, pinned } from './combinations.ts';
import { nameOf, UNKNOWN } from './field.ts';
import { noteForkBomb } from './fork-bomb.ts';
import type { Value } from './scope.ts';
import { NOTHING, type Source } from './source.ts';
import type { Statements } from './statements.ts';
import { fieldOf, namedChildren, type SyntaxNode } from './syntax.ts';

/** `name=value`, `name+=value`, `name=(a b)`, `name[0]=value`. */
export function assign(node: SyntaxNode, shell: Statements): Source {
  const target = fieldOf(node, 'name');
  const name = target?.type === 'subscript' ? fieldOf(target, 'name')?.text ?? '' : target?.text ?? '';
  const value = fieldOf(node, 'value');
  if (target?.type === 'subscript') shell.substitutionsIn(target);
  const appends = node.children.some(({ type }) => type === '+=');
  const values = combinations(node, shell.scope).map((pins) => pinned(shell.scope, pins, () => {
    const assigned = valueOf(value, shell);
    if (target?.type === 'subscript') return [UNKNOWN];
    return appends ? appended(shell.scope.isSet(name) ? shell.scope.value(name) : [''], assigned, value?.type === 'array') : assigned;
  }));
  noteRunVariable(name, values, shell);
  // An element of an array leaves the others as they were.
  shell.scope.variables.set(name, target?.type === 'subscript' ? [...shell.scope.possible(name), ...values] : values);
  return NOTHING;
}

/** Variables whose value some program runs as a command. */
const RUN_BY_OTHERS = new Set(['PROMPT_COMMAND', 'GIT_SSH_COMMAND', 'GIT_EDITOR', 'GIT_PAGER', 'GIT_SEQUENCE_EDITOR', 'GIT_EXTERNAL_DIFF', 'EDITOR', 'VISUAL', 'PAGER', 'MANPAGER', 'BROWSER', 'LESSOPEN']);

/** Variables that name code which every program started from here on loads first. */
const LOADED_BY_OTHERS = new Set(['LD_PRELOAD', 'LD_AUDIT', 'DYLD_INSERT_LIBRARIES', 'BASH_ENV']);
/** Whoever looks for programs where anybody puts files finds others than those that the names mean. */
const FOUND_FIRST = /^(?:\.?:|\/tmp\/|\/var\/tmp\/|\/dev\/shm\/)/;

/** Follows the value of such a variable: whoever sets it means it to be run. */
export function noteRunVariable(name: string, values: readonly Value[], shell: Statements): void {
  if (/^HIST(?:FILE|SIZE|FILESIZE)$/.test(name)) shell.act('trace_removal', 'the shell', name);
  if (LOADED_BY_OTHERS.has(name) && values.some((value) => value.join('') !== '')) shell.act('run_unknown', name, values[0]?.join(' ') ?? '');
  if (name === 'PATH' && values.some((value) => FOUND_FIRST.test(value[0] ?? ''))) shell.act('run_unknown', name, values[0]?.join(' ') ?? '');
  // A prompt runs the substitutions in it each time that it is shown.
  if (/^PS[0124]$/.test(name)) for (const value of values) shell.script(`: "${value.join(' ')}"`, NOTHING);
  if (RUN_BY_OTHERS.has(name)) for (const value of values) if (value.join('') !== '') shell.script(value.join(' '), NOTHING);
}

function valueOf(node: SyntaxNode | undefined, shell: Statements): Value {
  if (!node) return [''];
  return node.type === 'array' ? namedChildren(node).flatMap((item) => shell.words(item)).map(nameOf) : [shell.text(node)];
}

function appended(before: Value, value: Value, array: boolean): Value {
  return array ? [...before, ...value] : [`${before[0] ?? ''}${value[0] ?? ''}`, ...before.slice(1)];
}

/** `export`, `declare`, `local` and their kin: the assignments in them, also where one is written as a quoted word. */
export function declare(node: SyntaxNode, shell: Statements): Source {
  const names = namedChildren(node).some(({ type, text }) => type === 'word' && /^-\w*n/.test(text));
  for (const child of namedChildren(node)) {
    if (child.type === 'variable_assignment') {
      assign(child, shell);
      // A name for another variable: whichever that is when it is used.
      if (names) shell.scope.set(fieldOf(child, 'name')?.text ?? '', [UNKNOWN]);
    } else if (child.type !== 'variable_name') {
      for (const { text } of shell.words(child)) {
        const equals = text.indexOf('=');
        if (equals > 0) shell.scope.set(text.slice(0, equals), [text.slice(equals + 1)]);
      }
    }
  }
  return NOTHING;
}

export function unset(node: SyntaxNode, shell: Statements): Source {
  for (const child of namedChildren(node)) {
    shell.scope.set(child.text, []);
    if (child.text === 'HISTFILE') shell.act('trace_removal', 'unset', child.text);
  }
  return NOTHING;
}

export function define(node: SyntaxNode, shell: Statements): Source {
  const name = fieldOf(node, 'name')?.text ?? '';
  const body = fieldOf(node, 'body');
  if (!body) return NOTHING;
  shell.scope.functions.set(name, body);
  noteForkBomb(name, body, shell);
  return NOTHING;
}
