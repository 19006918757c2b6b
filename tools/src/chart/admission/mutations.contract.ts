// SPDX-License-Identifier: Apache-2.0
// Every way in which one field of an object can differ, from the API server's own schemas. So no field is missed, and
// those of a later version are included automatically.

type Fields = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

/** A schema in the API server's OpenAPI. */
export interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly required?: readonly string[];
}
export type Schemas = Readonly<Record<string, Schema>>;

/** One possible difference of an object. */
export interface Mutation {
  /** the difference, in words */
  readonly what: string;
  /** the field, without indexes: `spec.containers.image` */
  readonly field: string;
  readonly applyTo: (object: object) => object;
}

/** Values for validated fields, by the field or by its last part. The first is tried first. */
export type Hints = Readonly<Record<string, readonly unknown[]>>;

/** A member that is removed when another is added, since only one may be set: its name by the object's field. */
export type Exclusive = Readonly<Record<string, string>>;

interface Context {
  readonly schemas: Schemas;
  readonly hints: Hints;
  readonly exclusive: Exclusive;
}

const resolved = (schemas: Schemas, schema: Schema): Schema => {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (ref === undefined) return schema;
  const name = ref.split('/').at(-1) ?? '';
  const found = schemas[name];
  if (found === undefined) throw new Error(`the API server has no schema \`${name}\``);
  return resolved(schemas, found);
};

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const fieldOf = (path: Path): string => path.filter((part) => typeof part === 'string').join('.');

/** A copy with another value at that path; `undefined` removes it. */
function withValue(object: unknown, path: Path, value: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  if (Array.isArray(object))
    return object.map((each: unknown, at) => (at === first ? withValue(each, rest, value) : each));
  const fields = (object ?? {}) as Fields;
  const made = { ...fields, [first]: withValue(fields[first], rest, value) };
  return Object.fromEntries(Object.entries(made).filter(([, member]) => member !== undefined));
}

/** The minimum of such a field. */
function least(context: Context, schema: Schema, path: Path): unknown {
  const { schemas, hints } = context;
  const [hint] = hintsFor(hints, path);
  if (hint !== undefined) return hint;
  const found = resolved(schemas, schema);
  const { type, enum: words, items, properties, required = [], additionalProperties, oneOf } = found;
  if (words !== undefined) return words[0];
  if (oneOf !== undefined) return 1;
  if (type === 'string') return 'a';
  if (type === 'integer' || type === 'number') return 1;
  if (type === 'boolean') return true;
  if (type === 'array') return [least(context, items ?? {}, path)];
  if (properties === undefined)
    return additionalProperties === undefined ? {} : { a: least(context, additionalProperties, path) };
  const [any = ''] = Object.keys(properties);
  const names = required.length === 0 ? [any] : required;
  return Object.fromEntries(names.map((name) => [name, least(context, properties[name] ?? {}, [...path, name])]));
}

/** By the whole field, or by a last part that has the same meaning everywhere. */
const hintsFor = (hints: Hints, path: Path): readonly unknown[] => {
  const field = fieldOf(path);
  return hints[field] ?? hints[`*.${field.split('.').at(-1)}`] ?? [];
};

/** Values other than the present one. */
function otherValues(context: Context, schema: Schema, path: Path, value: unknown): readonly unknown[] {
  const hints = hintsFor(context.hints, path);
  const { enum: words = [] } = resolved(context.schemas, schema);
  const more = ((): readonly unknown[] => {
    if (typeof value === 'boolean') return [!value];
    if (typeof value === 'number') return [value + 1, Math.max(0, value - 1)];
    if (words.length > 0) return words;
    return hints.length > 0 ? [] : [`${String(value)}x`];
  })();
  return [...hints, ...more].filter((other) => JSON.stringify(other) !== JSON.stringify(value));
}

function* listMutations(context: Context, schema: Schema, path: Path, list: readonly unknown[]): Generator<Mutation> {
  const { items = {} } = resolved(context.schemas, schema);
  const at = (what: string, value: unknown): Mutation => mutation(path, what, value);
  for (const value of [least(context, items, path), ...hintsFor(context.hints, [...path, 'more'])].flatMap((each) =>
    Array.isArray(each) ? (each as unknown[]) : [each],
  ))
    yield at(`and ${JSON.stringify(value)}`, [...list, value]);
  if (list.length > 1) yield at('in another order', [...list].reverse());
  yield at('without the last', list.slice(0, -1));
  yield at('with the first twice', [list[0], ...list]);
  for (const [index, each] of list.entries()) yield* valueMutations(context, items, [...path, index], each);
}

function* valueMutations(context: Context, schema: Schema, path: Path, value: unknown): Generator<Mutation> {
  const { properties, additionalProperties } = resolved(context.schemas, schema);
  if (Array.isArray(value)) return yield* listMutations(context, schema, path, value as unknown[]);
  if (!isFields(value)) {
    for (const other of otherValues(context, schema, path, value))
      yield mutation(path, `= ${JSON.stringify(other)}`, other);
    return;
  }
  const names = [...Object.keys(value), 'example.com/more'];
  const known = properties ?? Object.fromEntries(names.map((name) => [name, additionalProperties ?? {}]));
  for (const [name, member] of Object.entries(known)) {
    const place = [...path, name];
    if (name in value) {
      yield mutation(place, 'is missing', undefined);
      yield* valueMutations(context, member, place, value[name]);
      continue;
    }
    const hints = hintsFor(context.hints, place);
    const only = context.exclusive[fieldOf(path)];
    for (const added of hints.length > 0 ? hints : [least(context, member, place)])
      yield mutation(place, `= ${JSON.stringify(added)}`, added, only === undefined ? [] : [...path, only]);
  }
}

const mutation = (path: Path, what: string, value: unknown, without: Path = []): Mutation => ({
  what: `${path.join('.')} ${what}`,
  field: fieldOf(path),
  applyTo: (object) => {
    const left = without.length === 0 ? object : withValue(object, without, undefined);
    return withValue(left, path, value) as object;
  },
});

/** Every possible difference of the object, by the schema of that name. */
export const mutationsOf = (
  object: object,
  { schema, ...context }: Context & { readonly schema: string },
): Mutation[] => [...valueMutations(context, { $ref: schema }, [], object)];

/** Every leaf of an object by its path. */
const leavesOf = (value: unknown, path: Path = []): readonly (readonly [path: Path, leaf: unknown])[] =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([name, member]) =>
        leavesOf(member, [...path, Array.isArray(value) ? Number(name) : name]),
      )
    : [[path, value]];

/** A leaf that is missing or different in one of two objects: its value in the second. */
export interface Difference {
  readonly field: string;
  readonly value: unknown;
}

export function differencesOf(one: object, other: object): Difference[] {
  const [before, after] = [one, other].map(
    (each) => new Map(leavesOf(each).map(([path, value]) => [path.join('/'), { field: fieldOf(path), value }])),
  ) as [Map<string, Difference>, Map<string, Difference>];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((path) => {
    const [was, is] = [before.get(path), after.get(path)];
    if (was?.value === is?.value && was !== undefined && is !== undefined) return [];
    return [is ?? { field: was?.field ?? '', value: undefined }];
  });
}
