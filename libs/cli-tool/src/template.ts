// SPDX-License-Identifier: Apache-2.0
import type { EnvPart } from '@writ/contract';

const PLACEHOLDER = /\{\{([a-z][a-z0-9_]{0,63})\}\}/g;

/** The parameters that an argument's template names, in order; null where its braces make no placeholder. */
export function placeholdersOf(template: string): string[] | null {
  const names = [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
  const rest = template.replaceAll(PLACEHOLDER, '');
  return rest.includes('{{') || rest.includes('}}') ? null : names;
}

/** Fills a template in. What is filled in is text, whatever it looks like: it is not read as a template again. */
export function fill(template: string, valueOf: (name: string) => string): string {
  return template.replaceAll(PLACEHOLDER, (_whole, name: string) => valueOf(name));
}

const REFERENCE = /\$\$\{|\$\{([^}]*)\}|\$\{/g;
const NAME = /^[A-Z_][A-Z0-9_]{0,63}$/;

/**
 * The parts of a variable's value: `${NAME}` is one of `variables`, or else the secret of that name; `$${` is a literal
 * `${`. Null where a `${` is no reference. A variable's own text is taken as it stands.
 */
export function envPartsOf(value: string, variables: ReadonlyMap<string, string>): EnvPart[] | null {
  const parts: EnvPart[] = [];
  let at = 0;
  const take = (part: EnvPart): void => {
    const last = parts.at(-1);
    if ('text' in part && last !== undefined && 'text' in last)
      parts[parts.length - 1] = { text: last.text + part.text };
    else if (!('text' in part) || part.text !== '') parts.push(part);
  };
  for (const match of value.matchAll(REFERENCE)) {
    take({ text: value.slice(at, match.index) });
    at = match.index + match[0].length;
    const name = match[1];
    if (match[0] === '$${') take({ text: '${' });
    else if (name === undefined || !NAME.test(name)) return null;
    else {
      const text = variables.get(name);
      take(text === undefined ? { secret: name } : { text });
    }
  }
  take({ text: value.slice(at) });
  return parts;
}
