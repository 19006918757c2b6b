// SPDX-License-Identifier: Apache-2.0
import { secretReference, VALUE_NAME } from '@writ/contract';
import { quoted } from '../text/truncate.ts';
import { textWith, VARIABLE, variableParts, type VariablePart } from './variables.ts';

type Read = { readonly text: string } | { readonly problem: string };

const BLANK = /^[ \t]*$/;

/** A command without its leading and trailing blank lines. */
export function commandText(text: string): string {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => !BLANK.test(line));
  const last = lines.findLastIndex((line) => !BLANK.test(line));
  return first === -1 ? '' : lines.slice(first, last + 1).join('\n');
}

/**
 * Text of `find` and `replace`, exactly. One line end behind the opening tag and one before the closing tag are dropped
 * if both tags are on their own lines.
 */
export function exactText(text: string): string {
  const end = text.lastIndexOf('\n');
  if (!text.startsWith('\n') || end === 0 || !BLANK.test(text.slice(end + 1))) return text;
  return text.slice(1, end);
}

const ESCAPE = /\\(?:x([0-9A-Fa-f]{2})|([\s\S])|$)/g;
const NAMED: Readonly<Record<string, string>> = { n: '\n', t: '\t', '\\': '\\' };

/** Typed input: `\n`, `\t`, `\\` and `\xHH` are escapes. Any other backslash is a reported error. */
export function typedText(text: string): Read {
  let problem: string | null = null;
  const typed = text.replace(ESCAPE, (whole, hex: string | undefined, char: string | undefined) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    const named = char === undefined ? undefined : NAMED[char];
    if (named === undefined) problem ??= `${quoted(whole)} is no escape: \`\\n\`, \`\\t\`, \`\\\\\` and \`\\xHH\` are`;
    return named ?? whole;
  });
  return problem === null ? { text: typed } : { problem };
}

const NAME = new RegExp(VALUE_NAME);
const NO_NAME = 'capital letters, digits and `_` make a name, and `$$KARYI{` writes the text itself';

/** Replaces each variable in a text by the reference to the secret of that name, and each escape by its text. */
export function withSecrets(text: string): Read {
  const read = readVariables(text);
  return 'problem' in read ? read : { text: textWith(read.parts, secretReference) };
}

type Found = { readonly parts: readonly VariablePart[] } | { readonly problem: string };

/** The variables in a text; the problem with one that has no valid name. */
export function readVariables(text: string): Found {
  const parts = variableParts(text);
  const wrong = parts.find((part) => typeof part !== 'string' && !NAME.test(part.name));
  return wrong === undefined || typeof wrong === 'string'
    ? { parts }
    : { problem: `${quoted(`${VARIABLE}${wrong.name}}`)} names no variable: ${NO_NAME}` };
}
