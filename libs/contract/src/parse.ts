// SPDX-License-Identifier: Apache-2.0
import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { Fault } from './faults.ts';
import { allowUnknownMembers } from './allow-unknown-members.ts';
import { schemaProblems } from './schema-problems.ts';

const validators = new WeakMap<object, Validator>();

/**
 * Validates a value against the schema, once, where it enters. The schema is compiled on first use and cached. Throws
 * Fault `request.malformed` with the JSON pointer (RFC 6901, empty for the whole) of the first problem, without
 * repeating the value.
 */
export function parseMessage<S extends TSchema>(schema: S, value: unknown): Static<S> {
  let validator = validators.get(schema);
  if (!validator) validators.set(schema, (validator = Compile(schema)));
  if (validator.Check(value)) return value as Static<S>;
  const [first] = schemaProblems(schema, value);
  const pointer = shorten(first?.pointer ?? '');
  const message = first?.message ?? 'is not valid';
  throw new Fault('request.malformed', `${pointer === '' ? 'it' : `\`${pointer}\``} ${message}`, { pointer });
}

const openedSchemas = new WeakMap<object, TSchema>();

/**
 * Parses a reply or event of our own processes, like `parseMessage`, but ignores unknown members: a process that is one
 * version ahead may send more. It MUST NOT be used for messages that order or restrict something (requests, permits,
 * redemptions, records): there unknown members are refused.
 */
export function parseFromPeer<S extends TSchema>(schema: S, value: unknown): Static<S> {
  let open = openedSchemas.get(schema);
  if (!open) openedSchemas.set(schema, (open = allowUnknownMembers(schema)));
  return parseMessage(open as S, value);
}

/** Names of members come from the caller and may be as long as the message. */
const POINTER_MAX = 256;
const shorten = (pointer: string): string =>
  pointer.length > POINTER_MAX ? `${pointer.slice(0, POINTER_MAX)}…` : pointer;
