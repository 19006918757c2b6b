// SPDX-License-Identifier: Apache-2.0
import type { TSchema } from 'typebox';

/** Schemas by the names that they have in the document. */
export type NamedSchemas = Readonly<Record<string, TSchema>>;

/** Writes schemas as plain JSON Schema 2020-12, with a reference instead of every named one. */
export class SchemaWriter {
  readonly #names: ReadonlyMap<object, string>;

  constructor(named: NamedSchemas) {
    this.#names = new Map(Object.entries(named).map(([name, schema]) => [schema, name]));
  }

  /** The schema itself, even if it has a name; named ones below it become references. */
  inlined(schema: TSchema): Record<string, unknown> {
    return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, this.#plain(value)]));
  }

  /** The same, and a schema with a name becomes a reference itself. */
  referred(schema: TSchema): Record<string, unknown> {
    const name = this.#names.get(schema);
    return name === undefined ? this.inlined(schema) : { $ref: `#/components/schemas/${name}` };
  }

  #plain(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#plain(each));
    return typeof value === 'object' && value !== null ? this.referred(value as TSchema) : value;
  }
}
