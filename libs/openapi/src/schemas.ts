// SPDX-License-Identifier: Apache-2.0
//
// Schemas of OpenAPI 3.0 (a dialect of its own) and 3.1 become JSON Schema 2020-12 that stands by itself: references
// within the document are inlined, and those that lead back to themselves become `$defs`.
import { DECLARED_TOOLS } from '@writ/contract';
import { convertNode } from './convert-node.ts';
import { Unusable } from './problems.ts';
import type { Dialect, Json } from './read-document.ts';
import { targetOf, type Located } from './references.ts';

/** Whether a schema is for what is sent or for what comes: `readOnly` and `writeOnly` depend on it. */
export type Direction = 'sent' | 'received';

/** Schemas that one schema may be made of: more don't fit into its bytes. */
const NODES_MAX = 4_000;

/** A set of schemas that stands by itself. */
export interface Converted<T> {
  readonly value: T;
  readonly defs: Readonly<Record<string, unknown>>;
}

/** Converts the schemas of one tool's arguments, or of its result. */
export class SchemaReader {
  readonly #root: Json;
  readonly #dialect: Dialect;
  readonly #direction: Direction;
  /** every reference becomes a definition: the result has the size of the document's schemas at most */
  readonly #compact: boolean;
  readonly #open: string[] = [];
  readonly #recursive = new Set<string>();
  readonly #names = new Map<string, string>();
  readonly #defs: Record<string, unknown> = {};
  #left = NODES_MAX;

  constructor(root: Json, dialect: Dialect, direction: Direction, compact: boolean) {
    this.#root = root;
    this.#dialect = dialect;
    this.#direction = direction;
    this.#compact = compact;
  }

  /** The definitions that converted schemas refer to. */
  get defs(): Readonly<Record<string, unknown>> {
    return this.#defs;
  }

  /** @throws Unusable */
  convert = (schema: Located): unknown => {
    this.#left -= 1;
    if (this.#left < 0)
      throw new Unusable(schema.pointer, `is part of a schema of more than ${NODES_MAX} parts`, 'simplify it');
    const reference = (schema.value as { readonly $ref?: unknown } | null | undefined)?.$ref;
    if (typeof reference === 'string') return this.#referred(schema as Located<Json>, reference);
    return convertNode(schema, { dialect: this.#dialect, direction: this.#direction, convert: this.convert });
  };

  /** The schema that a reference leads to. In 3.0 members beside a reference have no meaning; in 3.1 they have one. */
  #referred(schema: Located<Json>, reference: string): unknown {
    const target = this.#target(targetOf(this.#root, reference, schema.pointer));
    const { $ref: _ref, ...beside } = schema.value;
    if (this.#dialect === '3.0' || Object.keys(beside).length === 0) return target;
    const own = convertNode(
      { value: beside, pointer: schema.pointer },
      { dialect: this.#dialect, direction: this.#direction, convert: this.convert },
    );
    return { ...(own as Json), allOf: [target, ...(((own as Json)['allOf'] as unknown[] | undefined) ?? [])] };
  }

  #target(target: Located): unknown {
    const { pointer } = target;
    if (this.#open.includes(pointer)) {
      this.#recursive.add(pointer);
      return { $ref: `#/$defs/${this.#nameOf(pointer)}` };
    }
    const known = this.#names.get(pointer);
    if (known !== undefined && Object.hasOwn(this.#defs, known)) return { $ref: `#/$defs/${known}` };
    this.#open.push(pointer);
    const converted = this.convert(target);
    this.#open.pop();
    if (!this.#compact && !this.#recursive.has(pointer)) return converted;
    const name = this.#nameOf(pointer);
    this.#defs[name] = converted;
    return { $ref: `#/$defs/${name}` };
  }

  #nameOf(pointer: string): string {
    const known = this.#names.get(pointer);
    if (known !== undefined) return known;
    const base = (pointer.split('/').at(-1) ?? '').replaceAll(/[^A-Za-z0-9_]/g, '_') || 'schema';
    const taken = new Set(this.#names.values());
    let name = base;
    for (let n = 2; taken.has(name) || name === '__proto__'; n += 1) name = `${base}_${n}`;
    this.#names.set(pointer, name);
    return name;
  }
}

/**
 * Makes a schema by `make`, inlined if that fits into the bytes of one, else with a definition for each reference.
 * @throws Unusable
 */
export function schemaWithin(
  { root, dialect }: { readonly root: Json; readonly dialect: Dialect },
  direction: Direction,
  pointer: string,
  make: (reader: SchemaReader) => Json | boolean,
): Json {
  for (const compact of [false, true]) {
    const reader = new SchemaReader(root, dialect, direction, compact);
    try {
      const made = make(reader);
      const schema = made === true ? {} : made === false ? { not: {} } : made;
      const whole = Object.keys(reader.defs).length === 0 ? schema : { ...schema, $defs: reader.defs };
      if (new TextEncoder().encode(JSON.stringify(whole)).length <= DECLARED_TOOLS.schemaBytes) return whole;
    } catch (error) {
      if (!(error instanceof Unusable) || compact || !error.message.startsWith('is part of a schema')) throw error;
    }
  }
  throw new Unusable(
    pointer,
    `makes a schema of more than ${DECLARED_TOOLS.schemaBytes} bytes`,
    'simplify it, or leave the operation out',
  );
}
