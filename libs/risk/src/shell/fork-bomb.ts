// SPDX-License-Identifier: Apache-2.0
import type { Shell } from './shell.ts';
import type { SyntaxNode } from './syntax.ts';

/**
 * Notes a function that starts itself in a pipeline or in the background, and so multiplies without end. A function
 * that merely calls itself is a recursion, which ends or exhausts its own stack.
 */
export function noteForkBomb(name: string, body: SyntaxNode, shell: Shell): void {
  if (multiplies(body, (text) => text === name, shell)) shell.act('fork_bomb', name, `${name}(){…}`);
}

/** The same for a script that starts itself by `$0`. */
export function noteSelfStart(script: SyntaxNode, shell: Shell): void {
  if (script.text.includes('$0') && multiplies(script, (text) => /^"?(?:\.\/)?\$0"?$/.test(text), shell))
    shell.act('fork_bomb', '$0', script.text);
}

function multiplies(body: SyntaxNode, isItself: (name: string) => boolean, shell: Shell): boolean {
  let found = false;
  /** Answers whether a node below starts it. */
  const visit = (node: SyntaxNode): boolean => {
    shell.meter.steps();
    const starts = node.children.map(visit);
    const startsItself = starts.includes(true) || (node.type === 'command_name' && isItself(node.text));
    if (node.type === 'pipeline' && startsItself) found = true;
    if (starts.some((one, index) => one && node.children[index + 1]?.type === '&')) found = true;
    return startsItself;
  };
  visit(body);
  return found;
}
