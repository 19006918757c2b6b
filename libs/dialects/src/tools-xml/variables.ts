// SPDX-License-Identifier: Apache-2.0
//
// `$KARYI{NAME}` in a text, and `$$KARYI{` for the text `$KARYI{` itself. INVARIANT (filled once): a text with
// variables stays as written until they are filled, and what is filled in is never read again.
import type { Args, DialectCall } from '../dialect.ts';

export const VARIABLE = '$KARYI{';

/** Text, with its escapes resolved, or a variable. */
export type VariablePart = string | { readonly name: string };

/** Splits a text at its variables. The beginning of one that has no end is text. */
export function variableParts(text: string): VariablePart[] {
  const [before = '', ...rest] = text.split(VARIABLE);
  const parts: VariablePart[] = [before];
  for (const each of rest) {
    const last = parts.at(-1);
    const end = each.indexOf('}');
    if (typeof last === 'string' && last.endsWith('$')) parts.splice(-1, 1, last.slice(0, -1), VARIABLE + each);
    else if (end === -1) parts.push(VARIABLE + each);
    else parts.push({ name: each.slice(0, end) }, each.slice(end + 1));
  }
  return parts;
}

/** The text with each variable replaced. */
export const textWith = (parts: readonly VariablePart[], by: (name: string) => string): string =>
  parts.map((part) => (typeof part === 'string' ? part : by(part.name))).join('');

/** Writes a text so that none of it is a variable. */
export const escapeVariables = (text: string): string => text.split(VARIABLE).join(`$${VARIABLE}`);

/** A value with every text in it replaced. */
export function mapTexts(value: unknown, by: (text: string) => string): unknown {
  if (typeof value === 'string') return by(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, by));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapTexts(each, by)]));
}

/**
 * The arguments of a call with its variables replaced, and its escapes resolved. `values` MUST have a value for each of
 * the call's variables.
 */
export function fillVariables(args: Args, values: Readonly<Record<string, string>>): Args {
  const valueOf = (name: string): string => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) throw new Error(`the variable \`${name}\` has no value`);
    return value;
  };
  return mapTexts(args, (text) => textWith(variableParts(text), valueOf)) as Args;
}

/** The names of elements and attributes in which the arguments of a call stand. */
const PLACES: Readonly<Record<string, string>> = {
  path: 'src="…"',
  find: '<find>',
  replace: '<replace>',
  pattern: 'pattern="…"',
  key: 'key="…"',
  reason: 'reason="…"',
  note: 'note="…"',
};

/** Where a variable stands first, in the dialect's words. */
function placeOf(value: unknown, name: string, key = ''): string | null {
  if (typeof value === 'string') {
    const stands = variableParts(value).some((part) => typeof part !== 'string' && part.name === name);
    return stands ? (PLACES[key] ?? key) : null;
  }
  if (typeof value !== 'object' || value === null) return null;
  for (const [member, each] of Object.entries(value)) {
    const place = placeOf(each, name, Array.isArray(value) ? key : member);
    if (place !== null) return place;
  }
  return null;
}

/** Why a call with variables doesn't run, where the value of one is a secret or isn't there. */
export function unfilledVariable({ args }: Pick<DialectCall, 'args'>, name: string): { message: string; hint: string } {
  const place = placeOf(args, name);
  return {
    message: `\`${VARIABLE}${name}}\` stands in \`${place ?? 'the call'}\`, where only a session's value that is no secret is filled in, and there is none of that name`,
    hint: `ask for one with \`<get_value key="${name}" reason="…" secret="false"/>\`; a secret is taken in \`<command>\` and \`<input>\` alone`,
  };
}
