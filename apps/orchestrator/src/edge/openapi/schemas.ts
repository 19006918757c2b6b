// SPDX-License-Identifier: Apache-2.0
import type { TSchema } from 'typebox';

/**
 * Schemas by the names that they have in the document. Of several with one name the first is written: it accepts what
 * the others accept.
 */
export type NamedSchemas = Readonly<Record<string, TSchema | readonly TSchema[]>>;

type Json = Readonly<Record<string, unknown>>;

/** Keywords whose value is a list of schemas. */
const LISTS = ['anyOf', 'oneOf', 'allOf'] as const;
/** Keywords whose value has schemas for names of members. */
const MAPS = ['patternProperties', '$defs'] as const;
/** Keywords whose value is a schema or a boolean. */
const SINGLE = ['additionalProperties', 'not', 'propertyNames'] as const;

/**
 * Writes schemas as plain JSON Schema 2020-12, with a reference instead of every object and every closed list of
 * values, so that generated clients have a name for each of them. A schema has the name of `named`, also where another
 * one is equal to it but for its description. Others are named after the place where they occur first.
 */
export class SchemaWriter {
  readonly #byIdentity: ReadonlyMap<object, string>;
  readonly #byShape = new Map<string, string>();
  /** names of what is named by its place, and nothing else */
  readonly #byPlace = new Map<string, string>();
  readonly #components: Record<string, Json> = {};

  constructor(named: NamedSchemas) {
    const all = Object.entries(named).map(([name, given]) => [name, [given].flat() as TSchema[]] as const);
    this.#byIdentity = new Map(all.flatMap(([name, schemas]) => schemas.map((schema) => [schema, name])));
    for (const [name, schema] of all.flatMap(([each, schemas]) => schemas.map((schema) => [each, schema] as const)))
      if (isNameable(schema)) {
        const shape = shapeOf(schema);
        if (!this.#byShape.has(shape)) this.#byShape.set(shape, name);
      }
    for (const [name, [schema]] of all) if (schema !== undefined) this.#components[name] = this.#written(schema, name);
  }

  /** All that is referred to, by name. It is complete when every schema has been written. */
  get components(): Readonly<Record<string, Json>> {
    return this.#components;
  }

  /**
   * A reference, for a schema with a name and for one that gets a name by its place; otherwise the schema itself.
   *
   * @param place the name of the schema that contains it, or of the operation, and the member: `ApprovalVotes`
   */
  referred(schema: TSchema, place: string): Json {
    const { name, isSame } = this.#nameOf(schema, place);
    if (name === undefined) return this.#written(schema, place);
    const { description } = schema as Json;
    return { $ref: `#/components/schemas/${name}`, ...(isSame || description === undefined ? {} : { description }) };
  }

  #nameOf(schema: TSchema, place: string): { name: string | undefined; isSame: boolean } {
    const named = this.#byIdentity.get(schema);
    if (named !== undefined) return { name: named, isSame: true };
    if (!isNameable(schema)) return { name: undefined, isSame: true };
    const alike = this.#byShape.get(shapeOf(schema));
    if (alike !== undefined) return { name: alike, isSame: false };
    const text = JSON.stringify(schema);
    const placed = this.#byPlace.get(text);
    if (placed !== undefined) return { name: placed, isSame: true };
    if (this.#components[place] !== undefined)
      throw new Error(`two schemas would be named \`${place}\`: give one of them a name in \`NAMED\``);
    this.#byPlace.set(text, place);
    this.#components[place] = {};
    this.#components[place] = this.#written(schema, place);
    return { name: place, isSame: true };
  }

  /** The schema itself, with references below it. */
  #written(schema: TSchema, place: string): Json {
    const { properties, items, ...rest } = schema as Json;
    const written: Record<string, unknown> = { ...rest };
    if (properties !== undefined) written['properties'] = this.#map(properties as Json, place);
    if (items !== undefined) written['items'] = this.referred(items as TSchema, singular(place));
    for (const keyword of MAPS)
      if (rest[keyword] !== undefined) written[keyword] = this.#map(rest[keyword] as Json, place, 'Value');
    for (const keyword of SINGLE)
      if (isSchema(rest[keyword])) written[keyword] = this.referred(rest[keyword], `${place}Value`);
    for (const keyword of LISTS)
      if (Array.isArray(rest[keyword])) written[keyword] = this.#list(rest[keyword] as readonly TSchema[], place);
    return written;
  }

  #map(schemas: Json, place: string, suffix?: string): Json {
    return Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [
        name,
        this.referred(schema as TSchema, `${place}${suffix ?? pascal(name)}`),
      ]),
    );
  }

  #list(schemas: readonly TSchema[], place: string): Json[] {
    const isAlone = schemas.filter((schema) => (schema as Json)['type'] !== 'null').length === 1;
    return schemas.map((schema) => this.referred(schema, isAlone ? place : `${place}${variantOf(schema, schemas)}`));
  }
}

const isSchema = (value: unknown): value is TSchema => typeof value === 'object' && value !== null;

/** Objects with members, and closed lists of several values. */
function isNameable(schema: TSchema): boolean {
  const { properties, enum: values } = schema as { properties?: object; enum?: readonly unknown[] };
  return (
    (properties !== undefined && Object.keys(properties).length > 0) || (values !== undefined && values.length > 1)
  );
}

/** What two schemas have in common that differ in their description alone. */
function shapeOf(schema: TSchema): string {
  const { description: _description, ...shape } = schema as Json;
  return JSON.stringify(shape);
}

/** What distinguishes one schema of a union: the first constant text of its members, else a member that others lack. */
function variantOf(schema: TSchema, among: readonly TSchema[]): string {
  const { properties = {}, type } = schema as { properties?: Record<string, Json>; type?: string };
  const tag = Object.values(properties).find((member) => typeof member['const'] === 'string')?.['const'];
  if (tag !== undefined) return pascal(tag as string);
  const others = among.filter((other) => other !== schema).map((other) => (other as Json)['properties'] ?? {});
  const own = Object.keys(properties).find((name) => others.every((other) => !Object.hasOwn(other as object, name)));
  return own === undefined ? pascal(type ?? 'any') : `With${pascal(own)}`;
}

/** `http_url` as `HttpUrl`. */
export function pascal(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
}

/** The name of one item of a list: `PolicyDiffRules` has items `PolicyDiffRule`. */
function singular(place: string): string {
  return /[^s]s$/.test(place) ? place.slice(0, -1) : `${place}Item`;
}
