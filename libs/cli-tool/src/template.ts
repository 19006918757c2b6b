// SPDX-License-Identifier: Apache-2.0
import type { EnvPart } from '@writ/contract';

const PLACEHOLDER = /\{\{([a-z][a-z0-9_]{0,63})\}\}/g;

/** The parameters in an argument's template, in order; null if its braces form no placeholder. */
export function placeholdersOf(template: string): string[] | null {
  const names = [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
  const rest = template.replaceAll(PLACEHOLDER, '');
  return rest.includes('{{') || rest.includes('}}') ? null : names;
}

/** Fills in a template. The values are plain text and are not parsed as a template again. */
export function fill(template: string, valueOf: (name: string) => string): string {
  return template.replaceAll(PLACEHOLDER, (_whole, name: string) => valueOf(name));
}

const REFERENCE = /\$\$\{|\$\{([^}]*)\}|\$\{/g;
const NAME = /^[A-Z_][A-Z0-9_]{0,63}$/;

/**
 * The parts of a variable's value: `${NAME}` is one of `variables`, or else the secret of that name; `$${` is a literal
 * `${`. Null if a `${` is no valid reference. A variable's own text is not parsed.
 */
export function envPartsOf(value: string, variables: ReadonlyMap<string, string>): EnvPart[] | null {
  const parts: EnvPart[] = [];
  let at = 0;
  const addPart = (part: EnvPart): void => {
    const last = parts.at(-1);
    if ('text' in part && last !== undefined && 'text' in last)
      parts[parts.length - 1] = { text: last.text + part.text };
    else if (!('text' in part) || part.text !== '') parts.push(part);
  };
  for (const match of value.matchAll(REFERENCE)) {
    addPart({ text: value.slice(at, match.index) });
    at = match.index + match[0].length;
    const name = match[1];
    if (match[0] === '$${') addPart({ text: '${' });
    else if (name === undefined || !NAME.test(name)) return null;
    else {
      const text = variables.get(name);
      addPart(text === undefined ? { secret: name } : { text });
    }
  }
  addPart({ text: value.slice(at) });
  return parts;
}
