// SPDX-License-Identifier: Apache-2.0
import type { Meter } from './budget.ts';
import type { SyntaxNode } from './syntax.ts';

/** Expansions, which have a value in arithmetic. */
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

/** The outermost nodes of the types; the node `within` itself is excluded. */
export function outermost(
  node: SyntaxNode,
  types: ReadonlySet<string>,
  meter: Meter,
  within?: SyntaxNode,
): readonly SyntaxNode[] {
  const found: SyntaxNode[] = [];
  const visit = (one: SyntaxNode): void => {
    meter.steps();
    if (one !== within && types.has(one.type)) found.push(one);
    else for (const child of one.children) visit(child);
  };
  visit(node);
  return found;
}

/** The text between two positions of a node, with a replacement for each expansion. */
export function putIn(
  node: SyntaxNode,
  start: number,
  end: number,
  instead: (part: SyntaxNode) => string,
  meter: Meter,
): string {
  const parts: string[] = [];
  let at = start;
  // An expansion doesn't replace itself: the requested text is then a part of it.
  for (const part of outermost(node, EXPANSIONS, meter, start > node.start ? node : undefined)) {
    if (part.start < start || part.end > end) continue;
    parts.push(node.text.slice(at - node.start, part.start - node.start), instead(part));
    at = part.end;
  }
  parts.push(node.text.slice(at - node.start, end - node.start));
  return parts.join('');
}
