// SPDX-License-Identifier: Apache-2.0
import type { Shell } from './shell.ts';
import { descendants, type SyntaxNode } from './syntax.ts';

/**
 * A function that starts itself in a pipeline or in the background multiplies without end. One that merely calls itself is a recursion,
 * which ends or exhausts its own stack.
 */
export function noteForkBomb(name: string, body: SyntaxNode, shell: Shell): void {
  const callsItself = (node: SyntaxNode): boolean => [...descendants(node, ({ type, text }) => type === 'command_name' && text === name)].length > 0;
  for (const node of descendants(body, () => true)) {
    const inPipeline = node.type === 'pipeline' && callsItself(node);
    const inBackground = node.children.some((child, index) => node.children[index + 1]?.type === '&' && callsItself(child));
    if (inPipeline || inBackground) {
      shell.act('fork_bomb', name, `${name}(){…}`);
      return;
    }
  }
}
