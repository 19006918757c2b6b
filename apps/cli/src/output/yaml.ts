// SPDX-License-Identifier: Apache-2.0
//
// JSON values as YAML 1.2, in its block style. It is written here because every command prints through it, and loading
// a YAML library takes a third of the start.

/** A text that no YAML reader takes for something else: it begins with a letter, and isn't one of their words. */
const PLAIN = /^[A-Za-z][A-Za-z0-9_./@+-]*$/;
const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null', 'yes', 'no', 'on', 'off', 'y', 'n']);

/** Control characters that JSON leaves as they are: a terminal would act on them, and YAML forbids some. */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(UNPRINTABLE, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);

const wordOf = (text: string): string =>
  PLAIN.test(text) && !WORDS.has(text.toLowerCase()) ? text : quoted(text.toWellFormed());

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length > 0;
const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && membersOf(value).length > 0;
const membersOf = (value: object): [string, unknown][] =>
  Object.entries(value).filter(([, member]) => member !== undefined);

/** The lines of a value; `indent` is before each of them. */
function linesOf(value: unknown, indent: string): string[] {
  if (isList(value))
    return value.flatMap((item) => {
      const [first = '', ...others] = linesOf(item, `${indent}  `);
      return [`${indent}- ${first.trimStart()}`, ...others];
    });
  if (isMap(value))
    return membersOf(value).flatMap(([name, member]) =>
      isList(member) || isMap(member)
        ? [`${indent}${wordOf(name)}:`, ...linesOf(member, `${indent}  `)]
        : [`${indent}${wordOf(name)}: ${scalarOf(member)}`],
    );
  return [`${indent}${scalarOf(value)}`];
}

function scalarOf(value: unknown): string {
  if (typeof value === 'string') return wordOf(value);
  if (Array.isArray(value)) return '[]';
  return typeof value === 'object' && value !== null ? '{}' : (JSON.stringify(value) ?? 'null');
}

/** One YAML document, with a newline at its end. */
export const yamlOf = (value: unknown): string => `${linesOf(value, '').join('\n')}\n`;
