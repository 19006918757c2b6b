// SPDX-License-Identifier: Apache-2.0

/*
 * The effects of a statement by its words only: for statements that no grammar accepts, and for the bodies of
 * procedures.
 */

/** Statements that show something, set session options, or begin and end a transaction. */
const LOOKS = new RegExp(
  `^(?:${[
    'show',
    'describe',
    'desc',
    'use',
    'help',
    'begin',
    'end',
    'start\\s+transaction',
    'commit',
    'rollback',
    'savepoint',
    'release',
    'vacuum',
    'analyze',
    'reindex',
    'checkpoint',
    'optimize',
    'lock',
    'unlock',
    'attach',
    'detach',
    'list',
    'print',
    'declare',
    'waitfor',
    'summarize',
    'set(?!\\s+(?:global|persist|password))',
    'explain(?!\\s+analyze)',
    'pragma(?!\\s+writable_schema)',
  ].join('|')})\\b`,
  'i',
);

/** A query, unless a word in it does more. */
const ASKS = /^[(\s]*(?:select|with|values|table|from|explain|pragma|summarize)\b/i;
const DOES = new RegExp(
  `\\b(?:${[
    'delete',
    'drop',
    'truncate',
    'update',
    'alter',
    'merge',
    'insert',
    'replace',
    'into',
    'exec',
    'execute',
    'call',
    'grant',
    'revoke',
    'program',
    'do',
    'create',
    'rename',
    'copy',
    'load',
    'import',
    'export',
    'install',
    'attach',
    'xp_\\w+',
    'sys_exec',
    'sys_eval',
    'load_extension',
    'writefile',
    'edit',
    'dblink\\w*',
    'lo_\\w+',
    'pg_(?:terminate|file)\\w*',
  ].join('|')})\\b`,
  'i',
);

/** Answers whether a statement changes nothing. `words` is without strings and comments. */
export const isLook = (words: string): boolean => LOOKS.test(words) || (ASKS.test(words) && !DOES.test(words));

const flat = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase();
const DROPS = new RegExp(
  [
    String.raw`\bdrop (?:if|table|database|schema|view|index|role|user|keyspace|collection|stage|`,
    String.raw`warehouse|materialized|owned|tablespace|function|procedure|trigger|type|sequence|`,
    String.raw`extension|column|constraint|stream|task|pipe|foreign|server|subscription|publication|`,
    String.raw`policy|rule|aggregate|domain|catalog)\b`,
  ].join(''),
);

/** Answers whether words of the text, at any position, lose tables, columns or all rows. */
export const losesByWords = (text: string): boolean => text.split(';').map(flat).some(losesPiece);

/** Each test is one pass over the piece: the sender controls the length of the text. */
function losesPiece(piece: string): boolean {
  const has = (word: RegExp): boolean => word.test(piece);
  if (has(/\btruncate\b/) || (has(DROPS) && !has(/\bdrop \w+ if exists (?:temp_|tmp_|#)/))) return true;
  if (has(/\balter table\b/) && has(/\b(?:drop|delete)\b/)) return true;
  if (has(/\bmerge\b/) && has(/\bdelete\b/)) return true;
  const isNarrowed = has(/\bwhere\b/) && !has(/\bwhere (?:1 ?= ?1|true|'[^']*' ?= ?'[^']*')(?:$|\W)/);
  return !isNarrowed && ((has(/\bdelete\b/) && has(/\bfrom\b/)) || (has(/\bupdate\b/) && has(/\bset\b/)));
}

/** First verbs of statements that lose something. */
const BEGINS = /^(?:(?:alter|drop|delete|truncate|update|merge) |with .{0,200}\bdelete from )/;

/** The same for a text that may not be SQL: only a piece that begins as a statement counts. */
export const losesAsStatement = (text: string): boolean =>
  text
    .split(';')
    .map(flat)
    .some((piece) => BEGINS.test(piece) && OBJECTS.test(piece) && losesPiece(piece));

/** Words that rarely follow such a verb in prose. */
const OBJECTS = new RegExp(
  [
    String.raw`^(?:alter table|drop (?!.*\bif exists temp_)|delete from|truncate|update \S+ set|`,
    String.raw`update .* set|merge into|with )`,
  ].join(''),
);
