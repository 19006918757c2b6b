// SPDX-License-Identifier: Apache-2.0
import { assign, declare, define, noteRunVariable, unset } from './assignments.ts';
import { combinations, COMBINATIONS_MAX, pinned } from './combinations.ts';
import { nameOf, UNKNOWN, type Field } from './field.ts';
import { withRedirects } from './redirects.ts';
import type { Scope } from './scope.ts';
import type { Shell } from './shell.ts';
import { NOTHING, strongest, tainted, type Source } from './source.ts';
import { noteEndlessLoop } from './endless-loop.ts';
import { fieldOf, namedChildren, type SyntaxNode } from './syntax.ts';
import { together } from './together.ts';

/** What the reading of statements needs beyond what programs see of the shell. */
export interface Statements extends Shell {
  scope: Scope;
  run(node: SyntaxNode, stdin: Source): Source;
  words(node: SyntaxNode): Field[];
  text(node: SyntaxNode): string;
  body(node: SyntaxNode): string;
  substitutionsIn(node: SyntaxNode): void;
  inScope<T>(inner: Scope, body: () => T): T;
}

/** Follows a statement and returns what it writes to its output. */
export function runStatement(node: SyntaxNode, stdin: Source, shell: Statements): Source {
  switch (node.type) {
    case 'command': return runCommand(node, stdin, shell);
    case 'pipeline': return runPipeline(node, stdin, shell);
    case 'list': return runList(node, stdin, shell);
    case 'redirected_statement': return withRedirects(node, stdin, shell);
    case 'variable_assignment': return assign(node, shell);
    case 'declaration_command': return declare(node, shell);
    case 'unset_command': return unset(node, shell);
    case 'function_definition': return define(node, shell);
    case 'subshell': return shell.inScope(shell.scope.clone(), () => runAll(namedChildren(node), stdin, shell));
    case 'for_statement': return runFor(node, stdin, shell);
    case 'while_statement':
      noteEndlessLoop(node, shell);
      return runLoop(namedChildren(node), stdin, shell);
    case 'c_style_for_statement':
      noteEndlessLoop(node, shell);
      return runLoop(namedChildren(node).filter(({ field }) => field === 'body'), stdin, shell);
    case 'if_statement': return runIf(node, stdin, shell);
    case 'case_statement': return runCase(node, stdin, shell);
    case 'program':
    case 'do_group':
    case 'else_clause':
    case 'negated_command':
    case 'variable_assignments':
    case 'compound_statement':
      return runAll(namedChildren(node), stdin, shell);
    default:
      shell.substitutionsIn(node);
      return NOTHING;
  }
}

function runAll(nodes: readonly SyntaxNode[], stdin: Source, shell: Statements): Source {
  return together(nodes.map((node) => shell.run(node, stdin)));
}

/** Follows the command once for each combination of values that the variables in it may have. */
function runCommand(node: SyntaxNode, stdin: Source, shell: Statements): Source {
  const outputs = combinations(node, shell.scope).map((values) => pinned(shell.scope, values, () => runPinned(node, stdin, shell)));
  return outputs.length === 1 ? together(outputs) : strongest(outputs);
}

function runPinned(node: SyntaxNode, stdin: Source, shell: Statements): Source {
  const redirects = node.children.filter(({ type }) => type === 'file_redirect');
  if (redirects.length > 0) return outOfCommand(node, redirects, stdin, shell);
  const words: Field[] = [];
  for (const child of namedChildren(node)) {
    if (child.type === 'variable_assignment') {
      const value = fieldOf(child, 'value');
      if (value) noteRunVariable(fieldOf(child, 'name')?.text ?? '', [[shell.text(value)]], shell);
    } else if (child.type === 'herestring_redirect') {
      stdin = hereString(child, shell);
    } else if (child.type === 'subshell') {
      shell.run(child, stdin);
    } else {
      words.push(...shell.words(child));
    }
  }
  return shell.invoke(words, stdin);
}

/** A redirection before the command's name, brought to where the others stand. */
function outOfCommand(node: SyntaxNode, redirects: readonly SyntaxNode[], stdin: Source, shell: Statements): Source {
  // Words behind it might be the command's name: nobody writes that, and guessing which is which isn't safe.
  if (redirects.some(({ children }) => children.filter(({ field }) => field === 'destination').length > 1)) shell.act('unparsed', 'the command', node.text);
  const body: SyntaxNode = { ...node, field: 'body', children: node.children.filter((child) => !redirects.includes(child)) };
  return withRedirects({ ...node, type: 'redirected_statement', children: [body, ...redirects] }, stdin, shell);
}

function hereString(node: SyntaxNode, shell: Statements): Source {
  const last = namedChildren(node).at(-1);
  return last ? { kind: 'text', text: `${shell.text(last)}\n`, decoded: false } : NOTHING;
}

/** Every stage is a subshell, and reads what the one before it wrote. */
function runPipeline(node: SyntaxNode, stdin: Source, shell: Statements): Source {
  let output = stdin;
  for (const stage of namedChildren(node)) output = shell.inScope(shell.scope.clone(), () => shell.run(stage, output));
  return output;
}

/** After the first operand the others may or may not have run: both counts. Between them, what ran before holds. */
function runList(node: SyntaxNode, stdin: Source, shell: Statements): Source {
  const [first, ...others] = operands(node);
  const outputs = [first ? shell.run(first, stdin) : NOTHING];
  const after = shell.scope.clone();
  for (const other of others) outputs.push(shell.run(other, stdin));
  shell.scope.merge(after);
  return together(outputs);
}

const operands = (node: SyntaxNode): SyntaxNode[] =>
  namedChildren(node).flatMap((child) => (child.type === 'list' ? operands(child) : [child]));

function runIf(node: SyntaxNode, stdin: Source, shell: Statements): Source {
  const branches: SyntaxNode[][] = [[]];
  for (const child of namedChildren(node)) {
    if (child.type === 'elif_clause') branches.push([...namedChildren(child)]);
    else if (child.type === 'else_clause') branches.push([child]);
    else branches[0]?.push(child);
  }
  return runBranches(branches, stdin, shell);
}

function runCase(node: SyntaxNode, stdin: Source, shell: Statements): Source {
  for (const child of namedChildren(node)) if (child.field === 'value') shell.text(child);
  const items = namedChildren(node).filter(({ type }) => type === 'case_item');
  return runBranches(items.map((item) => namedChildren(item).filter(({ field }) => field !== 'value')), stdin, shell);
}

/** Each branch starts from here; what any of them, or none, leaves behind is possible afterwards. */
function runBranches(branches: readonly (readonly SyntaxNode[])[], stdin: Source, shell: Statements): Source {
  const before = shell.scope.clone();
  const after = shell.scope.clone();
  const outputs = branches.map((branch) => {
    shell.scope.assume(before);
    const output = runAll(branch, stdin, shell);
    after.merge(shell.scope);
    return output;
  });
  shell.scope.assume(after);
  return together(outputs.length > 1 ? outputs.map(tainted) : outputs);
}

function runFor(node: SyntaxNode, stdin: Source, shell: Statements): Source {
  const inputs = namedChildren(node).filter(({ field }) => field === 'value').flatMap((value) => shell.words(value));
  const values = inputs.map((input) => [nameOf(input)]);
  const known = values.length > 0 && values.length <= COMBINATIONS_MAX;
  shell.scope.variables.set(fieldOf(node, 'variable')?.text ?? '', known ? values : [[UNKNOWN]]);
  const body = fieldOf(node, 'body');
  return runLoop(body ? [body] : [], stdin, shell);
}

/** Twice, since what one round leaves behind the next one finds. */
function runLoop(nodes: readonly SyntaxNode[], stdin: Source, shell: Statements): Source {
  const before = shell.scope.clone();
  runAll(nodes, stdin, shell);
  shell.scope.merge(before);
  const output = runAll(nodes, stdin, shell);
  shell.scope.merge(before);
  return tainted(output);
}
