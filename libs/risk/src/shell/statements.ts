// SPDX-License-Identifier: Apache-2.0
import { noteVariable } from '../programs/variables.ts';
import { assign, declare, define, unset } from './assignments.ts';
import { combinations, COMBINATIONS_MAX, pinned } from './combinations.ts';
import { isArithmetic, runArithmetic, runTest } from './conditions.ts';
import { noteAssigned, noteName, setVariable } from './evaluate.ts';
import { mayBeArithmetic, noteArithmeticIn } from './expand.ts';
import { isNumber, nameOf, NUMBER, UNKNOWN, type Field, type Source } from './field.ts';
import { withRedirects } from './redirects.ts';
import type { Scope, Value } from './scope.ts';
import { NOTHING, strongest, tainted } from './source.ts';
import { noteEndlessLoop } from './endless-loop.ts';
import { fieldOf, namedChildren, type SyntaxNode } from './syntax.ts';
import { joinOutputs } from './join-outputs.ts';
import type { StatementShell } from './statement-shell.ts';

/** Interprets a statement and returns its output. */
export function runStatement(node: SyntaxNode, stdin: Source, shell: StatementShell): Source {
  switch (node.type) {
    case 'command':
      return runCommand(node, stdin, shell);
    case 'pipeline':
      return runPipeline(node, stdin, shell);
    case 'list':
      return runList(node, stdin, shell);
    case 'redirected_statement':
      return withRedirects(node, stdin, shell);
    case 'variable_assignment':
      return assign(node, shell);
    case 'declaration_command':
      return declare(node, shell);
    case 'unset_command':
      return unset(node, shell);
    case 'function_definition':
      return define(node, shell);
    case 'subshell':
      if (mayBeArithmetic(node.text)) noteArithmeticIn(node, node.start + 2, node.end - 2, shell);
      return shell.inScope(shell.scope.clone(), () => runAll(namedChildren(node), stdin, shell));
    case 'for_statement':
      return runFor(node, stdin, shell);
    case 'while_statement':
      noteEndlessLoop(node, shell);
      return runLoop(namedChildren(node), stdin, shell);
    case 'c_style_for_statement':
      return runCountingFor(node, stdin, shell);
    case 'if_statement':
      return runIf(node, stdin, shell);
    case 'case_statement':
      return runCase(node, stdin, shell);
    case 'test_command':
      runTest(node, shell);
      return NOTHING;
    case 'program':
    case 'do_group':
    case 'else_clause':
    case 'negated_command':
    case 'variable_assignments':
      return runAll(namedChildren(node), stdin, shell);
    case 'compound_statement':
      if (!isArithmetic(node)) return runAll(namedChildren(node), stdin, shell);
      runArithmetic(node, shell);
      return NOTHING;
    default:
      shell.substitutionsIn(node);
      return NOTHING;
  }
}

function runAll(nodes: readonly SyntaxNode[], stdin: Source, shell: StatementShell): Source {
  return joinOutputs(nodes.map((node) => shell.run(node, stdin)));
}

/** Interprets the command once for each possible combination of its variables' values. */
function runCommand(node: SyntaxNode, stdin: Source, shell: StatementShell): Source {
  const all = combinations(node, shell);
  if (all.length === 1)
    return joinOutputs(all.map((values) => pinned(shell.scope, values, () => runPinned(node, stdin, shell))));
  // Each starts from this state, and the results of all of them are possible afterwards.
  const before = shell.scope.clone();
  const afters: Scope[] = [];
  const outputs = all.map((values) => {
    shell.scope.assume(before);
    const output = pinned(shell.scope, values, () => runPinned(node, stdin, shell));
    afters.push(shell.scope.clone());
    return output;
  });
  for (const after of afters.slice(0, -1)) shell.scope.merge(after);
  return strongest(outputs);
}

function runPinned(node: SyntaxNode, stdin: Source, shell: StatementShell): Source {
  const redirects = node.children.filter(({ type }) => type === 'file_redirect');
  if (redirects.length > 0) return outOfCommand(node, redirects, stdin, shell);
  const words: Field[] = [];
  const given = new Map<string, Value>();
  for (const child of namedChildren(node)) {
    if (child.type === 'variable_assignment') {
      const value = fieldOf(child, 'value');
      given.set(fieldOf(child, 'name')?.text ?? '', [value === undefined ? '' : shell.text(value)]);
    } else if (child.type === 'herestring_redirect') {
      stdin = hereString(child, shell);
    } else if (child.type === 'subshell') {
      shell.run(child, stdin);
    } else {
      // `{name[index]}>file` stores a descriptor in an element.
      const kept = /^\{(\w+\[[\s\S]*\])\}$/.exec(child.text)?.[1];
      if (kept !== undefined) noteName(kept, shell);
      for (const word of shell.words(child)) words.push(word);
    }
  }
  return withVariables(given, words, stdin, shell);
}

/** Starts the command with its own variables. A function, and a builtin of the shell, sees them as the shell's. */
function withVariables(
  given: ReadonlyMap<string, Value>,
  words: readonly Field[],
  stdin: Source,
  shell: StatementShell,
): Source {
  if (given.size === 0) return shell.invoke(words, stdin);
  for (const [name, value] of given) {
    noteVariable(name, [value], shell, (other) => (given.has(other) ? [given.get(other) ?? []] : undefined));
    noteAssigned(name, [value], shell);
  }
  // A changed `IFS` does not affect words that are split already.
  const pins = new Map([...given].filter(([name]) => name !== 'IFS'));
  // A function's assignments to them are lost when it ends.
  return shell.scope.asFunction(() => {
    for (const name of given.keys()) shell.scope.makeOwn(name);
    return pinned(shell.scope, pins, () => shell.invoke(words, stdin));
  });
}

/** A redirection before the command's name, moved to the others. */
function outOfCommand(
  node: SyntaxNode,
  redirects: readonly SyntaxNode[],
  stdin: Source,
  shell: StatementShell,
): Source {
  // Words after it could be the command's name: this is unusual, and guessing isn't safe.
  if (redirects.some(({ children }) => children.filter(({ field }) => field === 'destination').length > 1))
    shell.act('unparsed', 'the command', node.text);
  const body: SyntaxNode = {
    ...node,
    field: 'body',
    children: node.children.filter(({ type }) => type !== 'file_redirect'),
  };
  return withRedirects({ ...node, type: 'redirected_statement', children: [body, ...redirects] }, stdin, shell);
}

function hereString(node: SyntaxNode, shell: StatementShell): Source {
  const last = namedChildren(node).at(-1);
  return last ? { kind: 'text', text: `${shell.text(last)}\n`, decoded: false } : NOTHING;
}

/** Every stage is a subshell, and reads the output of the previous one. */
function runPipeline(node: SyntaxNode, stdin: Source, shell: StatementShell): Source {
  let output = stdin;
  for (const stage of namedChildren(node)) output = shell.inScope(shell.scope.clone(), () => shell.run(stage, output));
  return output;
}

/**
 * After the first operand the others may run or not: both possibilities count. Each operand sees the results of earlier
 * ones.
 */
function runList(node: SyntaxNode, stdin: Source, shell: StatementShell): Source {
  const [first, ...others] = operands(node);
  const outputs = [first ? shell.run(first, stdin) : NOTHING];
  const after = shell.scope.clone();
  for (const other of others) outputs.push(shell.run(other, stdin));
  shell.scope.merge(after);
  return joinOutputs(outputs);
}

const operands = (node: SyntaxNode): SyntaxNode[] =>
  namedChildren(node).flatMap((child) => (child.type === 'list' ? operands(child) : [child]));

function runIf(node: SyntaxNode, stdin: Source, shell: StatementShell): Source {
  const branches: SyntaxNode[][] = [[]];
  for (const child of namedChildren(node)) {
    if (child.type === 'elif_clause') branches.push([...namedChildren(child)]);
    else if (child.type === 'else_clause') branches.push([child]);
    else branches[0]?.push(child);
  }
  return runBranches(branches, stdin, shell);
}

function runCase(node: SyntaxNode, stdin: Source, shell: StatementShell): Source {
  for (const child of namedChildren(node)) if (child.field === 'value') shell.text(child);
  const items = namedChildren(node).filter(({ type }) => type === 'case_item');
  return runBranches(
    items.map((item) => namedChildren(item).filter(({ field }) => field !== 'value')),
    stdin,
    shell,
  );
}

/** Each branch starts from this state; the results of any of them, or of none, are possible afterwards. */
function runBranches(branches: readonly (readonly SyntaxNode[])[], stdin: Source, shell: StatementShell): Source {
  const before = shell.scope.clone();
  const after = shell.scope.clone();
  const outputs = branches.map((branch) => {
    shell.scope.assume(before);
    const output = runAll(branch, stdin, shell);
    after.merge(shell.scope);
    return output;
  });
  shell.scope.assume(after);
  return joinOutputs(outputs.length > 1 ? outputs.map(tainted) : outputs);
}

function runFor(node: SyntaxNode, stdin: Source, shell: StatementShell): Source {
  const inputs = namedChildren(node)
    .filter(({ field }) => field === 'value')
    .flatMap((value) => shell.words(value));
  const values = inputs.map((input) => [nameOf(input)]);
  setVariable(fieldOf(node, 'variable')?.text ?? '', loopValues(node, values), shell);
  const body = fieldOf(node, 'body');
  return runLoop(body ? [body] : [], stdin, shell);
}

/** `for ((i = 0; i < 9; i++))` */
function runCountingFor(node: SyntaxNode, stdin: Source, shell: StatementShell): Source {
  noteEndlessLoop(node, shell);
  runArithmetic(node, shell);
  const body = namedChildren(node).filter(({ field }) => field === 'body');
  return runLoop(body, stdin, shell);
}

/** The values of a loop's variable: each word, or the common part of many. `{1..9}` are numbers. */
function loopValues(node: SyntaxNode, values: readonly Value[]): readonly Value[] {
  const ranges = namedChildren(node).filter(({ field }) => field === 'value');
  if (ranges.length > 0 && ranges.every(({ type }) => type === 'brace_expression')) return [[NUMBER]];
  if (values.length > 0 && values.length <= COMBINATIONS_MAX) return values;
  return [[values.length > 0 && values.every(([text = '']) => isNumber(text)) ? NUMBER : UNKNOWN]];
}

/** Rounds after which variables that a loop still changes count as unknown. */
const ROUNDS_MAX = 3;

/**
 * Repeats until a round changes no possible value of a variable, since a round sees the results of the previous one.
 */
function runLoop(nodes: readonly SyntaxNode[], stdin: Source, shell: StatementShell): Source {
  let known = shell.scope.clone();
  const round = (): Source => {
    const output = runAll(nodes, stdin, shell);
    shell.scope.merge(known);
    return output;
  };
  round();
  for (let rounds = 2; ; rounds += 1) {
    known = shell.scope.clone();
    const output = round();
    const changed = shell.scope.changedSince(known);
    if (changed.length === 0) return tainted(output);
    if (rounds >= ROUNDS_MAX) for (const name of changed) shell.scope.set(name, [UNKNOWN]);
  }
}
