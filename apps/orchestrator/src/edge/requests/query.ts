// SPDX-License-Identifier: Apache-2.0
import { Fault, parseMessage } from '@writ/contract';
import type { Static, TObject, TSchema } from 'typebox';

/**
 * Reads a query string as the schema says: numbers are read as numbers, `true` and `false` as such; a repeated or
 * unknown parameter is refused. Faults: `request.malformed`, naming the parameter.
 */
export function parseQuery<S extends TObject>(schema: S, given: Readonly<Record<string, unknown>>): Static<S> {
  const read: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(given)) {
    const property = schema.properties[name];
    if (property === undefined)
      throw new Fault('request.malformed', `there is no query parameter \`${name.slice(0, 64)}\` here`);
    if (typeof text !== 'string')
      throw new Fault('request.malformed', `the query parameter \`${name}\` is given twice`);
    if (!text.isWellFormed() || text.includes('\0'))
      throw new Fault('request.malformed', `the query parameter \`${name}\` holds a character that is none`);
    read[name] = convert(property, text);
  }
  try {
    return parseMessage(schema, read);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Fault('request.malformed', `query parameter ${error.detail ?? 'is not valid'}`, { cause: error });
  }
}

function convert(property: TSchema, text: string): unknown {
  const { type } = property as { type?: unknown };
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (type === 'number' && /^\d{1,9}(\.\d{1,15})?$/.test(text)) return Number(text);
  return type === 'integer' && /^\d{1,15}$/.test(text) ? Number(text) : text;
}
