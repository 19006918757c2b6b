// SPDX-License-Identifier: Apache-2.0
import { pointerOf } from '../json-pointers.ts';
import type { ToolDefinition } from './definition.ts';
import { VALUE_NAME } from './values.ts';

/** `${secret:…}` in a text. */
export interface SecretReference {
  /** where it begins, in UTF-16 units */
  readonly at: number;
  readonly text: string;
  /** null for an invalid name */
  readonly name: string | null;
  /** `$${secret:…}`: an escape for the text `${secret:…}` itself */
  readonly literal: boolean;
}

const REFERENCE = /(\$?)\$\{secret:([^}]*)\}/g;
const NAME = new RegExp(VALUE_NAME);

/** The references to secrets in a text, in order. */
export function readReferences(text: string): SecretReference[] {
  return [...text.matchAll(REFERENCE)].map(({ 0: whole, 1: escape, 2: name = '', index }) => ({
    at: index,
    text: whole,
    name: NAME.test(name) ? name : null,
    literal: escape === '$',
  }));
}

/** The text with every reference replaced. */
export function replaceReferences(text: string, by: (reference: SecretReference) => string): string {
  let [out, at] = ['', 0];
  for (const reference of readReferences(text)) {
    out += text.slice(at, reference.at) + by(reference);
    at = reference.at + reference.text.length;
  }
  return out + text.slice(at);
}

/** The environment variable with a command's secret. */
export const secretVariable = (name: string): string => `WRIT_SECRET_${name}`;

export interface NamedSecrets {
  /** each once */
  readonly names: readonly string[];
  /** references that are not allowed, or have an invalid name */
  readonly faults: readonly { readonly pointer: string; readonly message: string }[];
}

/** The part of a tool that determines which secrets its calls name. */
export type NamesSecrets = Pick<ToolDefinition, 'class' | 'accepts_secrets' | 'cli'>;

/** Text that is a file's content or a path never refers to a secret. */
const isPlain = (tool: NamesSecrets): boolean => tool.class === 'inline';

/**
 * The secrets that a call names, including those in its tool's own variables. A reference is replaced by a value only
 * in arguments that accept secrets; in others, except plain text, it is a reported error.
 */
export function secretsNamed(tool: NamesSecrets, args: Readonly<Record<string, unknown>>): NamedSecrets {
  const names = new Set(
    tool.cli?.env.flatMap(({ parts }) => parts.flatMap((part) => ('secret' in part ? [part.secret] : []))),
  );
  const faults: { pointer: string; message: string }[] = [];
  if (isPlain(tool)) return { names: [], faults };
  for (const [key, value] of Object.entries(args)) {
    const takes = tool.accepts_secrets.includes(key);
    for (const { pointer, text } of textsIn(value, `/${key}`)) {
      for (const { name, literal } of readReferences(text)) {
        if (literal) continue;
        if (name === null)
          faults.push({
            pointer,
            message:
              'names a secret by what is no name: `${secret:NAME}` takes capital letters, digits and `_`; write `$${secret:` for the text itself',
          });
        else if (!takes)
          faults.push({
            pointer,
            message: `takes no secret${tool.accepts_secrets.length === 0 ? '' : `; ${tool.accepts_secrets.map((at) => `\`/${at}\``).join(', ')} does`}`,
          });
        else names.add(name);
      }
    }
  }
  return { names: [...names], faults };
}

/** The texts below a value that contain a reference, each with its JSON pointer. Keys of objects don't count. */
function* textsIn(value: unknown, pointer: string): Generator<{ pointer: string; text: string }> {
  if (typeof value === 'string') {
    if (value.includes('${secret:')) yield { pointer, text: value };
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) yield* textsIn(member, `${pointer}${pointerOf(key)}`);
  }
}
