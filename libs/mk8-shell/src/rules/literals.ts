// SPDX-License-Identifier: Apache-2.0

/**
 * What every text that an expression matches holds at least one of, in small letters; null where that can't be told.
 * Looking for it is many times faster than matching.
 */
export function neededLiterals(expression: string): readonly string[] | null {
  const found: string[][] = [];
  let run = '';
  const end = (): void => {
    if (run !== '') found.push([run]);
    run = '';
  };
  for (const { token, quantifier } of tokensOf(expression)) {
    // A choice at the top: there may be no literal that both sides need.
    if (token === '|') return null;
    const isOptional = /^(?:[?*]|\{0)/.test(quantifier);
    const literal = literalOf(token);
    if (literal === '') continue;
    if (literal === null || isOptional) end();
    else run += literal;
    // A repeated character may stand between what is before and behind it.
    if (quantifier !== '') end();
    const choices = isOptional ? null : choicesOf(token);
    if (choices !== null) found.push(choices);
  }
  end();
  const shortest = (choices: readonly string[]): number => Math.min(...choices.map(({ length }) => length));
  return found.sort((a, b) => shortest(b) - shortest(a))[0] ?? null;
}

/** Answers whether a text holds one of the literals. `lower` is made by `folded`. */
export const holdsOne = (lower: string, literals: readonly string[]): boolean =>
  literals.some((literal) => lower.includes(literal));

/** Small letters, as RE2 has them where case makes no difference: it takes a long s for an s. */
export const folded = (text: string): string => text.toLowerCase().replaceAll('ſ', 's');

interface Token {
  readonly token: string;
  readonly quantifier: string;
}

/** Characters, escapes, classes and whole groups, each with what repeats it. */
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

/** What a token stands for; empty where it takes no room, null where it stands for several texts. */
function literalOf(token: string): string | null {
  if (token === '^' || token === '$' || token === '\\b') return '';
  if (/^[^\\[(.|]$/s.test(token)) return folded(token);
  return /^\\[^a-zA-Z0-9]$/.test(token) ? token.slice(1) : null;
}

/** The texts of a group that is nothing but a choice between texts. */
function choicesOf(token: string): string[] | null {
  const inner = /^\(\?:((?:[a-z0-9 _/.-]|\\[./-]|\|)+)\)$/i.exec(token)?.[1];
  // A dot that isn't escaped is any character.
  if (inner === undefined || /(?<!\\)\./.test(inner)) return null;
  const choices = inner.replaceAll('\\', '').split('|').map(folded);
  return choices.includes('') ? null : choices;
}
