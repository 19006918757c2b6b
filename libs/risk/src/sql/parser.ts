// SPDX-License-Identifier: Apache-2.0
import type { SqlGrammar } from './dialects.ts';

/** A syntax tree of a statement: plain objects in the shape of the grammar's own library. */
export type SqlTree = unknown;

/**
 * Parses statements. `parse` returns undefined for a text that the grammar doesn't accept, and MUST NOT throw. It keeps
 * no state between texts, so one instance serves a whole process. Callers MUST bound the length and the nesting of the
 * text: none of these grammars has a budget.
 */
export interface SqlParser {
  parse(text: string, grammar: SqlGrammar): SqlTree | undefined;
}

/** Characters of statements that are parsed; larger migrations usually come as files. */
export const SQL_CHARS_MAX = 65_536;

/** Brackets that may be open at once: the grammars of node-sql-parser try each of them several times. */
const OPEN_MAX = 12;

/**
 * Words and signs that may each add a level to the syntax tree. The parser of Postgres recurses on the stack of its
 * thread, which overflows at some 10,000 levels, and a WebAssembly module is unusable after an overflow.
 */
const LEVELS_MAX = 2000;
const LEVEL = new RegExp(
  `[-+*/<>=~!@#%^&|?:]+|\\b(?:${[
    'not',
    'and',
    'or',
    'union',
    'intersect',
    'except',
    'case',
    'join',
    'collate',
    'at',
    'like',
    'ilike',
    'similar',
    'is',
    'isnull',
    'notnull',
    'between',
    'in',
    'overlaps',
    'escape',
    'select',
    'begin',
    'interval',
    'row',
    'array',
    'prior',
    'binary',
    'exists',
  ].join('|')})\\b`,
  'gi',
);

/**
 * Comments that may remain in a statement, where another dialect sees a name: Postgres scans each of them from its
 * beginning.
 */
const COMMENTS_MAX = 50;

/** Answers whether a statement may be parsed at all. */
export function isParsable(text: string): boolean {
  if (text.length > SQL_CHARS_MAX || nests(text)) return false;
  return count(text, LEVEL, LEVELS_MAX) <= LEVELS_MAX && count(text, /\/\*/g, COMMENTS_MAX) <= COMMENTS_MAX;
}

function nests(text: string): boolean {
  let open = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '(' || char === '[' || char === '{') open += 1;
    else if ((char === ')' || char === ']' || char === '}') && open > 0) open -= 1;
    if (open > OPEN_MAX) return true;
  }
  return false;
}

/** The number of matches of the pattern, at most one more than `most`. */
function count(text: string, pattern: RegExp, most: number): number {
  let found = 0;
  for (const match of text.matchAll(pattern)) {
    found += match.length;
    if (found > most) break;
  }
  return found;
}
