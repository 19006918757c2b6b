// SPDX-License-Identifier: Apache-2.0
import { ASKS_FOR_NAME, noteTested } from '../programs/tested.ts';
import { noteName } from './evaluate.ts';
import { noteArithmeticIn } from './expand.ts';
import type { Field } from './field.ts';
import type { StatementShell } from './statement-shell.ts';
import { namedChildren, type SyntaxNode } from './syntax.ts';

/** Compare their operands as arithmetic, within `[[`. `[` and `test` accept only a literal number. */
const COMPARES = /^-(?:eq|ne|lt|le|gt|ge)$/;
/** Interprets `[[ … ]]` and `[ … ]`: the substitutions in it, and the texts that it evaluates a second time. */
export function runTest(node: SyntaxNode, shell: StatementShell): void {
  if (node.children[0]?.type !== '[[') {
    noteTested(wordsOf(node, shell), shell);
    return;
  }
  noteConditions(node, shell);
}

function noteConditions(node: SyntaxNode, shell: StatementShell): void {
  shell.meter.steps();
  for (const [index, child] of node.children.entries()) {
    const operator = child.type === 'test_operator' || child.type === 'word' ? child.text : '';
    const [before, after] = [node.children[index - 1], node.children[index + 1]];
    if (COMPARES.test(operator))
      for (const side of [before, after]) if (side?.named === true) noteArithmeticIn(side, side.start, side.end, shell);
    if (ASKS_FOR_NAME.test(operator) && after?.named === true) noteName(shell.text(after), shell);
    if (isExpression(child)) noteConditions(child, shell);
    else if (child.named) shell.substitutionsIn(child);
  }
}

const isExpression = ({ type }: SyntaxNode): boolean => type.endsWith('_expression') && type !== 'brace_expression';

/** The words of `[ … ]` as a program gets them. */
function wordsOf(node: SyntaxNode, shell: StatementShell): Field[] {
  return node.children.flatMap((child) => {
    if (isExpression(child)) return wordsOf(child, shell);
    if (child.type === 'redirected_statement') {
      shell.run(child, { kind: 'nothing' });
      return [];
    }
    return child.named && child.type !== 'test_operator' ? shell.words(child) : [{ text: child.text, glob: false }];
  });
}

/** `(( … ))`: only arithmetic. */
export const isArithmetic = (node: SyntaxNode): boolean =>
  node.type === 'compound_statement' && node.children[0]?.type === '((';

/** Interprets `(( … ))`, and the header of `for ((…))`. */
export function runArithmetic(node: SyntaxNode, shell: StatementShell): void {
  const open = node.children.find(({ type }) => type === '((');
  const close = node.children.findLast(({ type }) => type === '))');
  if (open === undefined || close === undefined) return;
  if (node.type === 'compound_statement') noteArithmeticIn(node, open.end, close.start, shell);
  // One part of the header at a time, since the `;` between them is no arithmetic.
  else
    for (const part of namedChildren(node))
      if (part.start >= open.end && part.end <= close.start) noteArithmeticIn(part, part.start, part.end, shell);
}
