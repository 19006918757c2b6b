// SPDX-License-Identifier: Apache-2.0
/**
 * Makes of a command that names secrets the command that runs: each `${secret:NAME}` becomes a reference to an environment variable, quoted for where it stands.
 *
 * INVARIANT (judged is run): a pure function of the command alone. Who judges a command and who runs it both call it, so that they have the same one.
 * INVARIANT (one word stays one word): whatever the value is, the shell takes it as text. A place of which that isn't known is refused.
 */
import { readReferences, replaceReferences, secretVariable, type SecretReference } from '@writ/contract';
import { COMMAND_BUDGET } from '../read-command.ts';
import type { ShellGrammar } from '../shell/grammar.ts';
import { descendants, type SyntaxNode } from '../shell/syntax.ts';
import { placeOf, unsafePlace, type Place, type Quoting } from './position.ts';

export type Placed =
  /** the command to run, and the names whose variables it needs */
  | { readonly ok: true; readonly command: string; readonly names: readonly string[] }
  | { readonly ok: false; readonly message: string; readonly hint: string };

const HINT = 'give it to a program as an argument or as `NAME=${secret:…}` before it, and use `$NAME` in there';

/** The command with a reference to a variable in the place of each secret, or why it can't be had. */
export function placeSecrets(command: string, grammar: ShellGrammar): Placed {
  const references = readReferences(command);
  if (references.length === 0) return { ok: true, command, names: [] };
  const marks = marksFor(command);
  const marked = [...references.entries()].reduceRight((text, [index, { at, text: { length } }]) => text.slice(0, at) + marks(index) + text.slice(at + length), command);
  const tree = grammar.parse(marked, { ...COMMAND_BUDGET });
  if (tree === undefined) return no('a secret stands in a command that is not understood as bash');
  const instead: string[] = [];
  for (const [index, reference] of references.entries()) {
    const standing = placeOf(tree, marks(index));
    const refused = refuses(reference, standing, { command, tree });
    if (refused !== null) return no(`\`${reference.text}\` stands in ${refused}`);
    instead.push(inPlace(reference, (standing as Place).quoting));
  }
  const placed = replaceReferences(command, () => instead.shift() ?? '');
  const names = [...new Set(references.flatMap(({ name, literal }) => (literal || name === null ? [] : [name])))];
  const wanted = references.filter(({ literal }) => !literal).length;
  if (!standsQuoted(placed, names, wanted, grammar)) return no('a secret stands where it can\'t be quoted safely');
  return { ok: true, command: placed, names };
}

const no = (message: string): Placed => ({ ok: false, message, hint: HINT });

/** Words that stand nowhere in the command, one for each reference, and none of them in another. */
function marksFor(command: string): (index: number) => string {
  let stem = 'WritSecret';
  while (command.includes(stem)) stem += 'X';
  return (index) => `${stem}${String(index)}E`;
}

function refuses({ at, name, literal }: SecretReference, standing: Place | null, { command, tree }: { command: string; tree: SyntaxNode }): string | null {
  if (command[at - 1] === '\\') return 'a place behind `\\`: write `$${secret:…}` for the text itself';
  if (standing === null) return 'a comment, a pattern or an expression';
  if (standing.path.some(({ type, start }) => type === 'string' && isTranslated(tree, start))) return 'a text in `$"…"`';
  if (literal) return null;
  return name === null ? 'the place of a name' : unsafePlace(standing, tree);
}

const isTranslated = (tree: SyntaxNode, start: number): boolean => tree.text[start - tree.start - 1] === '$';

const VARIABLE: Readonly<Record<Quoting, (variable: string) => string>> = {
  bare: (variable) => `"${variable}"`, double: (variable) => variable, single: (variable) => `'"${variable}"'`, ansi: (variable) => `'"${variable}"$'`, document: (variable) => variable, quoted_document: (variable) => variable,
};

const TEXT: Readonly<Record<Quoting, (text: string) => string>> = {
  bare: (text) => `'${text}'`, double: (text) => `\\${text}`, single: (text) => text, ansi: (text) => text, document: (text) => `\\${text}`, quoted_document: (text) => text,
};

const inPlace = ({ text, name, literal }: SecretReference, quoting: Quoting): string => (literal ? TEXT[quoting](text.slice(1)) : VARIABLE[quoting](`\${${secretVariable(name ?? '')}}`));

/** What was made is read once more: every reference to a variable of ours is an expansion between quotes, and there are as many as were put in. */
function standsQuoted(placed: string, names: readonly string[], wanted: number, grammar: ShellGrammar): boolean {
  const tree = grammar.parse(placed, { ...COMMAND_BUDGET });
  if (tree === undefined) return false;
  const ours = new Set(names.map((name) => `\${${secretVariable(name)}}`));
  const quoted = [...descendants(tree, ({ type }) => type === 'string' || type === 'heredoc_body')].flatMap(({ children }) => children.filter(({ type, text }) => type === 'expansion' && ours.has(text)));
  return quoted.length >= wanted;
}
