// SPDX-License-Identifier: Apache-2.0
import type { Shell } from './shell.ts';
import { descendants, fieldOf, namedChildren, type SyntaxNode } from './syntax.ts';

const ALWAYS = /^(?:true|:|\[\[?\s+(?:1|true|1 -eq 1)\s+\]\]?|\(\(\s*1\s*\)\)|test 1)$/;
const NEVER = /^(?:false|\[\[?\s+\]\]?|\(\(\s*0\s*\)\)|test)$/;

/** Foreground commands with which a round waits for something, or leaves the loop. */
const PAUSES = /^(?:sleep|usleep|wait|read|break|exit|return|inotifywait|fswatch|select|timeout)$/;
/** Commands with which each round leaves more files than the one before. */
const MULTIPLIES = /^(?:cp|mkdir|touch|dd|tee|fallocate|truncate|mktemp|split|ln|install)$/;

/** Notes an endless loop that starts something in the background, or writes, in each of its rounds, without waiting. */
export function noteEndlessLoop(node: SyntaxNode, shell: Shell): void {
  if (!hasNoEnd(node)) return;
  const body = fieldOf(node, 'body') ?? node;
  const all = [...descendants(body, () => true)];
  shell.meter.steps(all.length);
  const behind = new Set(
    all.flatMap(({ children }) => children.filter((_child, index) => children[index + 1]?.type === '&')),
  );
  if (pauses(body, behind)) return;
  const writes = all.filter(
    ({ type, text, children }) =>
      (type === 'command_name' && MULTIPLIES.test(text)) ||
      (type === 'file_redirect' && children.some((child) => /^>/.test(child.type)) && !/\/dev\/|&\d/.test(text)),
  );
  if (behind.size > 0 || writes.length > 0) shell.act('exhaustion', 'a loop', node.text);
}

function hasNoEnd(node: SyntaxNode): boolean {
  if (node.type === 'c_style_for_statement') return fieldOf(node, 'condition') === undefined;
  const condition = (fieldOf(node, 'condition') ?? namedChildren(node)[0])?.text.trim() ?? '';
  return (node.children.some(({ type }) => type === 'until') ? NEVER : ALWAYS).test(condition);
}

function pauses(node: SyntaxNode, behind: ReadonlySet<SyntaxNode>): boolean {
  if (behind.has(node)) return false;
  if (node.type === 'command_name' && PAUSES.test(node.text)) return true;
  return node.children.some((child) => pauses(child, behind));
}
