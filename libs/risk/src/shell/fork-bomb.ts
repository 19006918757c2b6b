// SPDX-License-Identifier: Apache-2.0
import type { Shell } from './shell.ts';
import { descendants, type SyntaxNode } from './syntax.ts';

/**
 * A function that starts itself in a pipeline or in the background multiplies without end. One that merely calls itself is a recursion,
 * which ends or exhausts its own stack.
 */
export function noteForkBomb(name: string, body: SyntaxNode, shell: Shell): void {
  if (multiplies(body, (text) => text === name)) shell.act('fork_bomb', name, `${name}(){…}`);
}

/** The same for a script that starts itself by `$0`. */
export function noteSelfStart(script: SyntaxNode, shell: Shell): void {
  if (script.text.includes('$0') && multiplies(script, (text) => /^"?(?:\.\/)?\$0"?$/.test(text))) shell.act('fork_bomb', '$0', script.text);
}

function multiplies(body: SyntaxNode, isItself: (name: string) => boolean): boolean {
  const startsItself = (node: SyntaxNode): boolean => [...descendants(node, ({ type, text }) => type === 'command_name' && isItself(text))].length > 0;
  for (const node of descendants(body, () => true)) {
    if (node.type === 'pipeline' && startsItself(node)) return true;
    if (node.children.some((child, index) => node.children[index + 1]?.type === '&' && startsItself(child))) return true;
  }
  return false;
}
