// SPDX-License-Identifier: Apache-2.0
import { isObject, KEYWORDS, REFUSED } from './keywords.ts';
import { patternFault } from './pattern.ts';

/** A problem with a schema. */
export interface SchemaProblem {
  /** JSON pointer (RFC 6901) into the schema */
  readonly pointer: string;
  readonly message: string;
  /** the remedy; empty if the message suffices */
  readonly help: string;
}

/** A schema that needs more is better split; both also bound recursion and stored bytes. */
export const SCHEMA_LIMITS = { bytes: 32 * 1024, depth: 32, schemas: 2_000 } as const;
const PROBLEMS_MAX = 32;
const DRAFTS: readonly unknown[] = [
  'https://json-schema.org/draft/2020-12/schema',
  'http://json-schema.org/draft/2020-12/schema',
];

/**
 * Verifies that a schema (draft 2020-12) can be interpreted as its author wrote it. It comes from a tenant and is
 * untrusted. `of` is `object` for a schema of arguments, which must be an object at its root.
 */
export function verifySchema(schema: unknown, of: 'object' | 'any' = 'any'): SchemaProblem[] {
  const at = (pointer: string, message: string, help = ''): SchemaProblem => ({ pointer, message, help });
  if (!isObject(schema)) return [at('', 'must be a JSON Schema, an object')];
  if (depthOf(schema) > 2 * SCHEMA_LIMITS.depth) return [at('', `it nests deeper than ${SCHEMA_LIMITS.depth} schemas`)];
  if (Buffer.byteLength(JSON.stringify(schema)) > SCHEMA_LIMITS.bytes)
    return [at('', `it takes more than ${SCHEMA_LIMITS.bytes} bytes`)];
  const draft = schema['$schema'];
  const found: SchemaProblem[] = [
    ...(draft === undefined || DRAFTS.includes(draft)
      ? []
      : [at('/$schema', 'is another draft than 2020-12', 'leave it out, or convert the schema')]),
    ...(of === 'object' && schema['type'] !== 'object'
      ? [at('/type', 'must be `object`: arguments have names', 'write `type: object`')]
      : []),
  ];
  let schemas = 0;
  const visit = (node: unknown, pointer: string): void => {
    schemas += 1;
    if (!isObject(node) || schemas > SCHEMA_LIMITS.schemas || found.length > PROBLEMS_MAX) return;
    for (const [name, value] of Object.entries(node)) {
      const place = `${pointer}/${escaped(name)}`;
      const refused = REFUSED.get(name);
      const keyword = KEYWORDS.get(name);
      if (refused !== undefined) found.push(at(place, 'is not supported', refused));
      if (keyword === undefined) continue;
      if (!keyword.fits(value)) {
        found.push(at(place, `must be ${keyword.form}`));
        continue;
      }
      if (name === '$ref') found.push(...refProblems(schema, String(value)).map((message) => at(place, message)));
      const fault = name === 'pattern' ? patternFault(String(value)) : null;
      if (fault !== null) found.push(at(place, `is no expression of RE2 that may be matched: ${fault}`));
      if (keyword.holds === 'schema') visit(value, place);
      if (keyword.holds === 'list') (value as unknown[]).forEach((each, n) => visit(each, `${place}/${n}`));
      if (keyword.holds === 'map')
        for (const [key, each] of Object.entries(value as object)) visit(each, `${place}/${escaped(key)}`);
    }
  };
  visit(schema, '');
  if (schemas > SCHEMA_LIMITS.schemas) return [at('', `it has more than ${SCHEMA_LIMITS.schemas} schemas`)];
  return found.slice(0, PROBLEMS_MAX);
}

function refProblems(root: Record<string, unknown>, ref: string): string[] {
  if (ref !== '#' && !ref.startsWith('#/')) return ['leads outside of the schema; only `#` and `#/…` are followed'];
  let node: unknown = root;
  for (const part of ref.split('/').slice(1)) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    node = typeof node === 'object' && node !== null && Object.hasOwn(node, name) ? (node as never)[name] : undefined;
  }
  return isObject(node) || typeof node === 'boolean' ? [] : ['leads to no schema'];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Of nested values, without recursion: the value may be as deep as the caller likes. */
function depthOf(value: unknown): number {
  let level: unknown[] = [value];
  let depth = 0;
  while (level.length > 0 && depth <= 3 * SCHEMA_LIMITS.depth) {
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
    depth += 1;
  }
  return depth;
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
