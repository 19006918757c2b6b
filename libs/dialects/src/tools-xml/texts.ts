// SPDX-License-Identifier: Apache-2.0
import { secretReference, VALUE_NAME } from '@writ/contract';
import { quoted } from '../text/shown.ts';

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
 * Text of `find` and `replace`, exactly: without one line end behind the opening and one before the closing tag, where
 * both tags stand on lines of their own.
 */
export function exactText(text: string): string {
  const end = text.lastIndexOf('\n');
  if (!text.startsWith('\n') || end === 0 || !BLANK.test(text.slice(end + 1))) return text;
  return text.slice(1, end);
}

const ESCAPE = /\\(?:x([0-9A-Fa-f]{2})|([\s\S])|$)/g;
const NAMED: Readonly<Record<string, string>> = { n: '\n', t: '\t', '\\': '\\' };

/** What is typed: `\n`, `\t`, `\\` and `\xHH` stand for characters. Any other backslash is a mistake that is told. */
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

const VARIABLE = '$KARYI{';
const NAME = new RegExp(VALUE_NAME);

/** A text that takes variables, with each as the reference to the secret of that name. */
export function withSecrets(text: string): Read {
  const [before = '', ...rest] = text.split(VARIABLE);
  const out = [before];
  for (const [index, part] of rest.entries()) {
    const end = part.indexOf('}');
    const name = end === -1 ? part : part.slice(0, end);
    // The last one may be no variable but a text that looks like the beginning of one.
    if (end === -1 && index === rest.length - 1) out.push(VARIABLE, part);
    else if (!NAME.test(name))
      return {
        problem: `${quoted(`${VARIABLE}${name}}`)} names no variable: capital letters, digits and \`_\` make a name`,
      };
    else out.push(secretReference(name), part.slice(end + 1));
  }
  return { text: out.join('') };
}

/**
 * Answers whether a text names a variable where none may stand: contents, paths and reasons are kept as they are, so a
 * value would be seen there.
 */
export const namesVariable = (text: string): boolean => text.includes(VARIABLE);
