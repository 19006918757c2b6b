// SPDX-License-Identifier: Apache-2.0

/**
 * Literals, in lower case, of which every matching text contains at least one; null where none can be derived.
 * Searching for them is many times faster than matching.
 */
export function neededLiterals(expression: string): readonly string[] | null {
  const found: string[][] = [];
  let run = '';
  const end = (): void => {
    if (run !== '') found.push([run]);
    run = '';
  };
  for (const { token, quantifier } of tokensOf(expression)) {
    // A choice at the top: both sides may have no common literal.
    if (token === '|') return null;
    const isOptional = /^(?:[?*]|\{0)/.test(quantifier);
    const literal = literalOf(token);
    if (literal === '') continue;
    if (literal === null || isOptional) end();
    else run += literal;
    // A repeated character may separate its neighbours.
    if (quantifier !== '') end();
    const choices = isOptional ? null : choicesOf(token);
    if (choices !== null) found.push(choices);
  }
  end();
  const shortest = (choices: readonly string[]): number => Math.min(...choices.map(({ length }) => length));
  return found.sort((a, b) => shortest(b) - shortest(a))[0] ?? null;
}

/** Answers whether a text contains one of the literals. `folded` makes `lower`. */
export const holdsOne = (lower: string, literals: readonly string[]): boolean =>
  literals.some((literal) => lower.includes(literal));

/** Lower case as RE2 compares it without case: a long s equals an s. */
export const folded = (text: string): string => text.toLowerCase().replaceAll('ſ', 's');

interface Token {
  readonly token: string;
  readonly quantifier: string;
}

/** Characters, escapes, classes and whole groups, each with its quantifier. */
function* tokensOf(expression: string): Generator<Token> {
  for (let at = 0; at < expression.length;) {
    const length = lengthAt(expression, at);
    const quantifier = /^(?:[?*+]|\{[0-9,]+\})\??/.exec(expression.slice(at + length))?.[0] ?? '';
    yield { token: expression.slice(at, at + length), quantifier };
    at += length + quantifier.length;
  }
}

function lengthAt(expression: string, at: number): number {
  if (expression[at] === '\\') return /^\\x[0-9a-fA-F]{2}/.test(expression.slice(at)) ? 4 : 2;
  if (expression[at] === '[') return (/^\[\^?\]?(?:\\.|[^\]\\])*\]/.exec(expression.slice(at))?.[0] ?? '[').length;
  if (expression[at] !== '(') return 1;
  let length = 1;
  while (at + length < expression.length && expression[at + length] !== ')')
    length += lengthAt(expression, at + length);
  return length + 1;
}

/** The literal text of a token; empty where it matches the empty text, null where it matches several texts. */
function literalOf(token: string): string | null {
  if (token === '^' || token === '$' || token === '\\b') return '';
  if (/^[^\\[(.|]$/s.test(token)) return folded(token);
  return /^\\[^a-zA-Z0-9]$/.test(token) ? token.slice(1) : null;
}

/** The texts of a group that is only a choice between texts. */
function choicesOf(token: string): string[] | null {
  const inner = /^\(\?:((?:[a-z0-9 _/.-]|\\[./-]|\|)+)\)$/i.exec(token)?.[1];
  // An unescaped dot matches any character.
  if (inner === undefined || /(?<!\\)\./.test(inner)) return null;
  const choices = inner.replaceAll('\\', '').split('|').map(folded);
  return choices.includes('') ? null : choices;
}
