// SPDX-License-Identifier: Apache-2.0
import type { SqlGrammar } from './dialects.ts';

/** A syntax tree of a statement: plain objects, whose shape is that of the grammar's own library. */
export type SqlTree = unknown;

/**
 * Parses statements. `parse` returns undefined for what the grammar doesn't take, and MUST NOT throw; it keeps nothing
 * of one text for the
 * next, so one serves a whole process. Callers MUST bound the length and the nesting of the text: no grammar of these
 * has a budget.
 */
export interface SqlParser {
  parse(text: string, grammar: SqlGrammar): SqlTree | undefined;
}

/** Characters of statements that are parsed; people's migrations of that size come as files. */
export const SQL_CHARS_MAX = 65_536;

/** Brackets that may be open at once: the grammars of node-sql-parser try each of them several times. */
const OPEN_MAX = 12;

/**
 * Words and signs that may each add a level to the syntax tree. The parser of Postgres walks the tree on the stack of
 * its thread, which
 * overflows at some 10,000 levels, and a module of WebAssembly whose stack overflowed is of no use any more.
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
 * Comments that may be left in a statement, where another dialect sees a name: Postgres reads each of them from its
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

/** How often the pattern matches, or one more than `most`. */
function count(text: string, pattern: RegExp, most: number): number {
  let found = 0;
  for (const match of text.matchAll(pattern)) {
    found += match.length;
    if (found > most) break;
  }
  return found;
}
