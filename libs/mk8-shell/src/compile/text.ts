// SPDX-License-Identifier: Apache-2.0
//
// An argument with its variables.
// INVARIANT (filled once): the value of a variable is never searched for variables again, so no output of a step can
// name a capture.
import type { Sandbox } from '../rules/sandbox.ts';

export type Part =
  | { readonly text: string }
  | { readonly root: 'WORKSPACE' | 'CWD' }
  | { readonly prev: true }
  | { readonly capture: string };
export type Text = readonly Part[];

/** `$` and the longest name behind it. */
const VARIABLE = /\$([A-Za-z_][A-Za-z0-9_]*)/g;

/** Replaces the variables for which a function has a value, by names in upper case; others stay. */
export const substituted = (text: string, valueOf: (name: string) => string | undefined): string =>
  text.replaceAll(VARIABLE, (whole, name: string) => valueOf(name.toUpperCase()) ?? whole);

/** Splits a text at its variables. `captures` has the names, in upper case, that earlier steps set. */
export function readText(source: string, { user, env }: Sandbox, captures: ReadonlySet<string>): Text {
  const parts: Part[] = [];
  const push = (part: Part): void => {
    const last = parts.at(-1);
    if ('text' in part && last !== undefined && 'text' in last)
      parts[parts.length - 1] = { text: last.text + part.text };
    else if (!('text' in part) || part.text !== '') parts.push(part);
  };
  let from = 0;
  for (const { 0: whole, 1: name = '', index } of source.matchAll(VARIABLE)) {
    push({ text: source.slice(from, index) });
    push(variableOf(name.toUpperCase(), whole, { user, env, captures }));
    from = index + whole.length;
  }
  push({ text: source.slice(from) });
  return parts;
}

function variableOf(
  name: string,
  whole: string,
  { user, env, captures }: Pick<Sandbox, 'user' | 'env'> & { captures: ReadonlySet<string> },
): Part {
  if (name === 'WORKSPACE' || name === 'CWD') return { root: name };
  if (name === 'PREV') return { prev: true };
  if (name === 'USER') return { text: user };
  if (captures.has(name)) return { capture: name };
  return { text: env.get(name) ?? whole };
}

/** The text for display before it runs: it shows variables without a value by their names. */
export const describeText = (text: Text): string =>
  text
    .map((part) =>
      'text' in part ? part.text : `$${'root' in part ? part.root : 'prev' in part ? 'PREV' : part.capture}`,
    )
    .join('');

/** The values of variable parts when a step runs. */
export interface Values {
  readonly prev: string;
  readonly captures: ReadonlyMap<string, string>;
}

/** Answers whether all of it is known before anything runs. */
export const isKnown = (text: Text): boolean => text.every((part) => 'text' in part || 'root' in part);

const NOTHING: Values = { prev: '', captures: new Map() };

/** The text with its values. */
export function fillIn(text: Text, { root, cwd }: Sandbox, values: Values = NOTHING): string {
  return text
    .map((part) => {
      if ('text' in part) return part.text;
      if ('root' in part) return part.root === 'CWD' && cwd !== '' ? `${root}/${cwd}` : root;
      return 'prev' in part ? values.prev : (values.captures.get(part.capture) ?? '');
    })
    .join('');
}
