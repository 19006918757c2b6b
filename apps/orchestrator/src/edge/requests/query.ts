// SPDX-License-Identifier: Apache-2.0
import { Fault, parseMessage } from '@writ/contract';
import type { Static, TObject, TSchema } from 'typebox';

/**
 * Reads a query string as the schema says: numbers are read as numbers, `true` and `false` as such; a repeated or
 * unknown parameter is refused. Faults: `query.invalid`, naming the parameter and what is allowed.
 */
export function parseQuery<S extends TObject>(schema: S, given: Readonly<Record<string, unknown>>): Static<S> {
  const read: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(given)) {
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (property === undefined) throw unknownParameter(name, Object.keys(schema.properties));
    if (typeof text !== 'string')
      throw new Fault('query.invalid', `the query parameter \`${name}\` is given twice; give it once`);
    if (!text.isWellFormed() || text.includes('\0'))
      throw new Fault('query.invalid', `the query parameter \`${name}\` holds a character that is none; leave it out`);
    read[name] = convert(property, text);
  }
  try {
    return parseMessage(schema, read);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    // The pointer `/limit` leads to the parameter `limit`.
    const said = (error.detail ?? 'is not valid').replace(/^`\//, '`');
    throw new Fault('query.invalid', `the query parameter ${said}`, { cause: error });
  }
}

/** Longest name of a parameter in an answer: it is the caller's. */
const NAME_MAX = 64;

/** The fault for a parameter that a route does not have, with those that it has. */
export function unknownParameter(name: string, known: readonly string[]): Fault {
  const takes = known.length === 0 ? 'it takes none' : `it takes \`${known.join('`, `')}\``;
  return new Fault('query.invalid', `this route has no query parameter \`${name.slice(0, NAME_MAX)}\`; ${takes}`);
}

function convert(property: TSchema, text: string): unknown {
  const { type } = property as { type?: unknown };
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (type === 'number' && /^\d{1,9}(\.\d{1,15})?$/.test(text)) return Number(text);
  return type === 'integer' && /^\d{1,15}$/.test(text) ? Number(text) : text;
}
