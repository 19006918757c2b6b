// SPDX-License-Identifier: Apache-2.0
import { pointerOf, problemAt, type Problem } from '@writ/contract';
import { isObject, KEYWORDS, referredSchema, REFUSED } from './keywords.ts';
import { patternFault } from './pattern.ts';

/**
 * A schema that needs more is better split. They bound recursion, stored bytes, and the time of compiling expressions,
 * each of which takes a fraction of a millisecond.
 */
export const SCHEMA_LIMITS = { bytes: 32 * 1024, depth: 32, schemas: 2_000, patterns: 128 } as const;
const PROBLEMS_MAX = 32;
const DRAFTS: readonly unknown[] = [
  'https://json-schema.org/draft/2020-12/schema',
  'http://json-schema.org/draft/2020-12/schema',
];

/**
 * The problems of a schema (draft 2020-12) that keep it from being interpreted as its author wrote it; empty if
 * `schemaFaults` can take it. It comes from a tenant and is untrusted. `of` is `object` for a schema of arguments,
 * which must be an object at its root. Total and pure.
 */
export function verifySchema(schema: unknown, of: 'object' | 'any' = 'any'): Problem[] {
  if (!isObject(schema)) return [problemAt('', 'must be a JSON Schema, an object')];
  if (depthOf(schema) > 2 * SCHEMA_LIMITS.depth)
    return [problemAt('', `nests deeper than ${SCHEMA_LIMITS.depth} schemas`)];
  if (Buffer.byteLength(JSON.stringify(schema)) > SCHEMA_LIMITS.bytes)
    return [problemAt('', `takes more than ${SCHEMA_LIMITS.bytes} bytes`)];
  const draft = schema['$schema'];
  const found: Problem[] = [
    ...(draft === undefined || DRAFTS.includes(draft)
      ? []
      : [problemAt('/$schema', 'is another draft than 2020-12', 'leave it out, or convert the schema')]),
    ...(of === 'object' && schema['type'] !== 'object'
      ? [problemAt('/type', 'must be `object`: arguments have names', 'write `type: object`')]
      : []),
  ];
  return [...found, ...new Visit(schema).problems()].slice(0, PROBLEMS_MAX);
}

/** A walk over all schemas of a schema. */
class Visit {
  readonly #root: Readonly<Record<string, unknown>>;
  readonly #found: Problem[] = [];
  /** every place that was read as a schema */
  readonly #schemas = new Set<unknown>();
  readonly #references: { readonly place: string; readonly reference: string }[] = [];
  #patterns = 0;

  constructor(root: Readonly<Record<string, unknown>>) {
    this.#root = root;
  }

  problems(): Problem[] {
    this.#visit(this.#root, '');
    const { schemas, patterns } = SCHEMA_LIMITS;
    if (this.#schemas.size > schemas) return [problemAt('', `has more than ${schemas} schemas`, 'split the tool')];
    if (this.#patterns > patterns) return [problemAt('', `has more than ${patterns} expressions`, 'split the tool')];
    for (const { place, reference } of this.#references) this.#checkReference(place, reference);
    return this.#found;
  }

  #report(pointer: string, message: string, help = ''): void {
    this.#found.push(problemAt(pointer, message, help));
  }

  #visit(node: unknown, pointer: string): void {
    if (!isObject(node) || this.#schemas.size > SCHEMA_LIMITS.schemas || this.#found.length >= PROBLEMS_MAX) return;
    this.#schemas.add(node);
    for (const [name, value] of Object.entries(node)) {
      const place = `${pointer}${pointerOf(name)}`;
      const refused = REFUSED.get(name);
      const keyword = KEYWORDS.get(name);
      if (refused !== undefined) this.#report(place, 'is not supported', refused);
      if (keyword === undefined) continue;
      if (!keyword.fits(value)) {
        this.#report(place, `must be ${keyword.form}`);
        continue;
      }
      if (name === '$ref') this.#references.push({ place, reference: String(value) });
      if (name === 'pattern') this.#checkPattern(place, String(value));
      if (name === 'patternProperties')
        for (const pattern of Object.keys(value as object))
          this.#checkPattern(`${place}${pointerOf(pattern)}`, pattern);
      if (keyword.holds === 'schema') this.#visit(value, place);
      if (keyword.holds === 'list' || keyword.holds === 'map')
        for (const [key, each] of Object.entries(value as object)) this.#visit(each, `${place}${pointerOf(key)}`);
    }
  }

  #checkPattern(place: string, pattern: string): void {
    this.#patterns += 1;
    if (this.#patterns > SCHEMA_LIMITS.patterns) return;
    const fault = patternFault(pattern);
    if (fault === null) return;
    const help = 'write it in the syntax of RE2, without look-around and back references';
    this.#report(place, `is no expression of RE2 that may be matched: ${fault}`, help);
  }

  /** INVARIANT (read before it is applied): a reference leads to a place that this walk has read as a schema. */
  #checkReference(place: string, reference: string): void {
    const target = referredSchema(this.#root, reference);
    if (typeof target === 'boolean' || this.#schemas.has(target)) return;
    const isPath = reference === '#' || reference.startsWith('#/');
    const otherwise = reference.startsWith('#') ? 'refers to a place by a name' : 'leads outside of the schema';
    this.#report(
      place,
      isPath ? 'leads to no schema' : `${otherwise}; only \`#\` and \`#/…\` are followed`,
      'refer to a place within the schema, such as `#/$defs/name`',
    );
  }
}

/** Of nested values, without recursion: the value may be as deep as its author likes. */
function depthOf(value: unknown): number {
  let level: unknown[] = [value];
  let depth = 0;
  while (level.length > 0 && depth <= 3 * SCHEMA_LIMITS.depth) {
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
    depth += 1;
  }
  return depth;
}
