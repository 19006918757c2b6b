// SPDX-License-Identifier: Apache-2.0
import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { Fault } from './faults.ts';

const validators = new WeakMap<object, Validator>();

/**
 * Reads a value as the schema says, once, where it enters. The schema is compiled at its first use and kept.
 * Throws Fault `request.malformed` naming the JSON pointer (RFC 6901) of the first thing wrong; nothing of the value itself is repeated.
 */
export function parseMessage<S extends TSchema>(schema: S, value: unknown): Static<S> {
  let validator = validators.get(schema);
  if (!validator) validators.set(schema, (validator = Compile(schema)));
  if (validator.Check(value)) return value as Static<S>;
  const first = validator.Errors(value)[0];
  const pointer = first?.instancePath || '/';
  throw new Fault('request.malformed', `\`${pointer}\` ${first?.message ?? 'is not valid'}`, { pointer });
}
