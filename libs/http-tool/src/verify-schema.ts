// SPDX-License-Identifier: Apache-2.0
import { RE2JS } from 're2js';
import { pointerOf } from './request-error.ts';
import { isObject, KEYWORDS, referredSchema, REFUSED } from './schema-keywords.ts';

/** A problem of a schema. */
export interface SchemaProblem {
  /** JSON pointer (RFC 6901) into the schema */
  readonly pointer: string;
  readonly message: string;
  /** the remedy; empty if the message suffices */
  readonly help: string;
}

/** Levels of schemas within schemas. */
const DEPTH_MAX = 64;
const PROBLEMS_MAX = 32;
/** Limit on the instructions of an expression: matching takes time in proportion to the text's length times it. */
const PROGRAM_MAX = 1_000;

/**
 * The problems of a schema that keep it from being interpreted as its author wrote it; empty if `schemaFaults` can take
 * it. It comes from a tenant and is untrusted. Total and pure.
 */
export function verifySchema(root: unknown): SchemaProblem[] {
  const found: SchemaProblem[] = [];
  const report = (pointer: string, message: string, help = ''): void => {
    found.push({ pointer, message, help });
  };
  const visit = (node: unknown, pointer: string, depth: number): void => {
    if (!isObject(node) || found.length >= PROBLEMS_MAX) return;
    if (depth > DEPTH_MAX) {
      report(pointer, `is nested deeper than ${DEPTH_MAX} schemas`);
      return;
    }
    for (const [name, value] of Object.entries(node)) {
      const place = `${pointer}${pointerOf(name)}`;
      const refused = REFUSED.get(name);
      const keyword = KEYWORDS.get(name);
      if (refused !== undefined) report(place, 'is no keyword that arguments can be checked by', refused);
      if (keyword === undefined) continue;
      if (!keyword.fits(value)) {
        report(place, `is to be ${keyword.form}`);
        continue;
      }
      if (name === '$ref' && referredSchema(root, String(value)) === undefined)
        report(place, 'leads to no schema', 'refer to a place within the schema, such as `#/$defs/name`');
      const fault = name === 'pattern' ? patternFault(String(value)) : null;
      if (fault !== null)
        report(place, `can't be matched: ${fault}`, 'write it in the syntax of RE2, without look-around and back references');
      if (keyword.holds === 'schema') visit(value, place, depth + 1);
      if (keyword.holds === 'list' || keyword.holds === 'map')
        for (const [key, each] of Object.entries(value as object)) visit(each, `${place}${pointerOf(key)}`, depth + 1);
    }
  };
  visit(root, '', 0);
  return found.slice(0, PROBLEMS_MAX);
}

/** The problem of an expression; null for none. */
function patternFault(pattern: string): string | null {
  try {
    return RE2JS.compile(pattern).programSize() > PROGRAM_MAX ? 'it is larger than may be matched' : null;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'it does not compile';
  }
}
