// SPDX-License-Identifier: Apache-2.0
/**
 * Turns a command that names secrets into the command to run: each `${secret:NAME}` becomes a reference to an
 * environment variable, quoted for its position.
 *
 * INVARIANT (judged is run): a pure function of the command alone. The process that judges a command and the one that
 * runs it both call it, so both have the same result.
 * INVARIANT (one word stays one word): the shell reads any value as text. A position where that isn't certain is
 * refused.
 */
import { readReferences, replaceReferences, secretVariable, type SecretReference } from '@writ/contract';
import { readWithin } from '../read-command.ts';
import { BudgetSpent, COMMAND_BUDGET, Meter, type ShellBudget } from '../shell/budget.ts';
import type { ShellGrammar } from '../shell/grammar.ts';
import { descendants, type SyntaxNode } from '../shell/syntax.ts';
import { PlacedCommand, unsafePosition, type TextPosition, type Quoting } from './position.ts';

export type Placed =
  /** the command to run, and the names whose variables it needs */
  | { readonly ok: true; readonly command: string; readonly names: readonly string[] }
  /** `unread`: the budget ended before the whole command was read */
  | { readonly ok: false; readonly message: string; readonly hint: string; readonly unread: boolean };

const HINT = 'give it to a program as an argument or as `NAME=${secret:…}` before it, and use `$NAME` in there';

/**
 * The command with references to variables in place of secrets, or why that is impossible. `budget` bounds the cost of
 * reading the command.
 */
export function placeSecrets(command: string, grammar: ShellGrammar, budget: ShellBudget = COMMAND_BUDGET): Placed {
  const references = readReferences(command);
  if (references.length === 0) return { ok: true, command, names: [] };
  try {
    return placedWithin(command, references, grammar, new Meter(budget));
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
    return { ...no('a secret stands in a command that is too long to be read to its end'), unread: true };
  }
}

function placedWithin(
  command: string,
  references: readonly SecretReference[],
  grammar: ShellGrammar,
  meter: Meter,
): Placed {
  const { text: marked, positions, length } = withMarks(command, references);
  const tree = grammar.parse(marked, meter);
  if (tree === undefined) return no('a secret stands in a command that is not understood as bash');
  const whole = new PlacedCommand(tree, meter);
  const instead: string[] = [];
  for (const [index, reference] of references.entries()) {
    const standing = whole.positionAt(positions[index] ?? 0, length);
    const refused = refuses(reference, standing, { command, whole });
    if (refused !== null) return no(`\`${reference.text}\` stands in ${refused}`);
    instead.push(inPlace(reference, (standing as TextPosition).quoting));
  }
  let next = 0;
  const placed = replaceReferences(command, () => instead[next++] ?? '');
  const names = [...new Set(references.flatMap(({ name, literal }) => (literal || name === null ? [] : [name])))];
  const wanted = references.filter(({ literal }) => !literal).length;
  if (!isQuoted(placed, names, wanted, { grammar, meter }))
    return no("a secret stands where it can't be quoted safely");
  const evaluated = names.length === 0 ? null : evaluates(placed, grammar, meter);
  return evaluated === null
    ? { ok: true, command: placed, names }
    : no(`a secret stands in a command that ${evaluated}`);
}

const no = (message: string): Extract<Placed, { ok: false }> => ({ ok: false, message, hint: HINT, unread: false });

/**
 * Why the command might run a secret, or a text made from one, by way of a variable; null where that is certainly not
 * so.
 * @throws BudgetSpent where the command can't be read completely, so that nothing is known
 */
function evaluates(placed: string, grammar: ShellGrammar, meter: Meter): string | null {
  const { acts, runsGiven, unread } = readWithin({ command: placed, cwd: undefined, stdin: undefined }, grammar, meter);
  if (unread) throw new BudgetSpent();
  if (runsGiven !== undefined) return `gives it to ${runsGiven}, which would run or evaluate it`;
  const evaluation = acts.find(({ kind }) => kind === 'evaluation');
  return evaluation === undefined ? null : `evaluates a text a second time: \`${evaluation.subject}\``;
}

/** The command with a unique word in place of each reference; all of these words have the same length. */
function withMarks(
  command: string,
  references: readonly SecretReference[],
): { readonly text: string; readonly positions: readonly number[]; readonly length: number } {
  const longest = Math.max(0, ...[...command.matchAll(/WritSecret(X*)/g)].map(([, tail = '']) => tail.length + 1));
  const mark = `WritSecret${'X'.repeat(longest)}E`;
  const parts: string[] = [];
  const positions: number[] = [];
  let [from, at] = [0, 0];
  for (const reference of references) {
    const before = command.slice(from, reference.at);
    parts.push(before, mark);
    positions.push(at + before.length);
    at += before.length + mark.length;
    from = reference.at + reference.text.length;
  }
  return { text: [...parts, command.slice(from)].join(''), positions, length: mark.length };
}

function refuses(
  { at, name, literal }: SecretReference,
  standing: TextPosition | null,
  { command, whole }: { command: string; whole: PlacedCommand },
): string | null {
  if (command[at - 1] === '\\') return 'a place behind `\\`: write `$${secret:…}` for the text itself';
  if (standing === null) return 'a comment, a pattern or an expression';
  if (standing.path.some(({ type, start }) => type === 'string' && isTranslated(whole.tree, start)))
    return 'a text in `$"…"`';
  if (literal) return null;
  return name === null ? 'the place of a name' : unsafePosition(standing, whole);
}

const isTranslated = (tree: SyntaxNode, start: number): boolean => tree.text[start - tree.start - 1] === '$';

const VARIABLE: Readonly<Record<Quoting, (variable: string) => string>> = {
  bare: (variable) => `"${variable}"`,
  double: (variable) => variable,
  single: (variable) => `'"${variable}"'`,
  ansi: (variable) => `'"${variable}"$'`,
  document: (variable) => variable,
  quoted_document: (variable) => variable,
};

const TEXT: Readonly<Record<Quoting, (text: string) => string>> = {
  bare: (text) => `'${text}'`,
  double: (text) => `\\${text}`,
  single: (text) => text,
  ansi: (text) => text,
  document: (text) => `\\${text}`,
  quoted_document: (text) => text,
};

const inPlace = ({ text, name, literal }: SecretReference, quoting: Quoting): string =>
  literal ? TEXT[quoting](text.slice(1)) : VARIABLE[quoting](`\${${secretVariable(name ?? '')}}`);

/**
 * Parses the result once more: every reference to one of our variables must be an expansion between quotes, and there
 * must be as many as were inserted.
 */
function isQuoted(
  placed: string,
  names: readonly string[],
  wanted: number,
  { grammar, meter }: { grammar: ShellGrammar; meter: Meter },
): boolean {
  const tree = grammar.parse(placed, meter);
  if (tree === undefined) return false;
  const ours = new Set(names.map((name) => `\${${secretVariable(name)}}`));
  const quoted = [...descendants(tree, ({ type }) => type === 'string' || type === 'heredoc_body')].flatMap(
    ({ children }) => children.filter(({ type, text }) => type === 'expansion' && ours.has(text)),
  );
  return quoted.length >= wanted;
}
