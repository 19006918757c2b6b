// SPDX-License-Identifier: Apache-2.0
import { DEPTH_CEILING, JsonError, parseJson } from '@writ/digest';
import { parseDocument } from 'yaml';
import { Unusable } from './problems.ts';

/** Bounds on one document and on the work that it causes. */
export const DOCUMENT_LIMITS = {
  /** bytes of its text: those of one request to the API, and the options beside it */
  bytes: 1_900_000,
  /** levels of objects and lists */
  depth: 64,
  /** objects, lists and values of a whole document */
  values: 250_000,
  /** operations that are looked at */
  operations: 2_000,
} as const;

export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export type Dialect = '3.0' | '3.1';

/** A document that says what it is. */
export interface ReadDocument {
  readonly root: Json;
  readonly dialect: Dialect;
}

/**
 * Reads JSON or YAML 1.2. It fetches nothing.
 * @throws Unusable for what is no OpenAPI 3.0 or 3.1, and for more than the limits
 */
export function readDocument(text: string): ReadDocument {
  if (new TextEncoder().encode(text).length > DOCUMENT_LIMITS.bytes)
    throw new Unusable(
      '',
      `the document is longer than ${DOCUMENT_LIMITS.bytes} bytes`,
      'cut it to the operations needed',
    );
  const root = /^\s*\{/.test(text) ? fromJson(text) : fromYaml(text);
  if (!isObject(root)) throw new Unusable('', 'the document is no object');
  verifySize(root);
  return { root, dialect: dialectOf(root) };
}

function fromJson(text: string): unknown {
  try {
    return parseJson(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    // YAML can begin with a brace, too.
    if (error instanceof JsonError) return fromYaml(text);
    throw error;
  }
}

function fromYaml(text: string): unknown {
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: true, stringKeys: true, logLevel: 'silent' });
  const [broken] = document.errors;
  if (broken !== undefined) throw new Unusable('', `the document is neither JSON nor YAML: ${broken.message}`);
  try {
    // More expansions are an attack by aliases of aliases.
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new Unusable('', `the document can't be read: ${(error as Error).message}`);
  }
}

function dialectOf({ openapi, swagger }: Json): Dialect {
  const [, dialect] = typeof openapi === 'string' ? (/^(3\.[01])\.\d+(?:-.+)?$/.exec(openapi) ?? []) : [];
  if (dialect !== undefined) return dialect as Dialect;
  if (swagger !== undefined)
    throw new Unusable('/swagger', 'the document is of OpenAPI 2.0', 'convert it to OpenAPI 3.0 or 3.1');
  throw new Unusable('/openapi', 'is neither a version 3.0 nor 3.1', 'give a document with `openapi: 3.1.0`');
}

/** Aliases of YAML may make a document of any size: shared parts count each time. */
function verifySize(root: unknown): void {
  let left: number = DOCUMENT_LIMITS.values;
  const visit = (value: unknown, depth: number): void => {
    left -= 1;
    if (left < 0) throw new Unusable('', `the document has more than ${DOCUMENT_LIMITS.values} values`);
    if (depth > Math.min(DOCUMENT_LIMITS.depth, DEPTH_CEILING))
      throw new Unusable('', `the document is nested deeper than ${DOCUMENT_LIMITS.depth} levels`);
    if (typeof value !== 'object' || value === null) return;
    for (const member of Object.values(value)) visit(member, depth + 1);
  };
  visit(root, 0);
}
