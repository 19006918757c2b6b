// SPDX-License-Identifier: Apache-2.0
import { field, isExact, shown, withoutMarkers } from '../shell/field.ts';
import type { Shell } from '../shell/shell.ts';
import { ANYTHING } from '../shell/source.ts';
import { runElsewhere } from '../programs/remote.ts';
import { noteClientCommand } from './client-commands.ts';
import type { Dialect, SqlGrammar } from './dialects.ts';
import { findingsOf } from './findings.ts';
import type { SqlFindings } from './syntax-tree.ts';
import { isParsable, SQL_CHARS_MAX, type SqlTree } from './parser.ts';
import { splitStatements } from './split-statements.ts';
import { isLook, losesAsStatement, losesByWords } from './words.ts';

/** Characters whose parsing takes as long as interpreting a command. */
const CHARS_PER_STEP = 24;
/** The minimal cost of a statement. */
const STEPS_EACH = 3;

/** Interprets the input of a database's client: its own commands, and the statements that it sends. */
export function readSql(form: string, text: string, dialect: Dialect, shell: Shell): void {
  if (withoutMarkers(text).trim() === '') {
    if (!isExact(text)) shell.act('run_unknown', form, text);
    return;
  }
  if (text.length > SQL_CHARS_MAX || !shell.afford()) {
    shell.act('run_unknown', form, text);
    return;
  }
  const { statements, words, commands } = splitStatements(text, dialect.lexicalRules);
  for (const command of commands) noteClientCommand(form, command, shell);
  statements.forEach((statement, index) => {
    readStatement(form, { statement, words: words[index] ?? '' }, dialect, shell);
  });
}

/**
 * Notes the losses of a text that may be a statement of any database, as code passes one on. A text that is none is no
 * finding.
 */
export function noteLostBySql(form: string, text: string, dialect: Dialect, shell: Shell): void {
  if (!MAY_LOSE.test(text) || text.length > SQL_CHARS_MAX || !shell.afford()) return;
  const { statements, words } = splitStatements(text, dialect.lexicalRules);
  statements.forEach((statement, index) => {
    const tree = treeOf(statement, dialect.grammars, shell);
    if (tree !== undefined) note(form, findingsOf(tree), statement, shell);
    else if (losesAsStatement(words[index] ?? '')) shell.act('database_loss', form, statement);
    noteHidden(form, statement, shell);
  });
}

/** Words without which no statement loses anything or starts a program. */
const MAY_LOSE = new RegExp(
  [
    String.raw`\b(?:drop|delete|truncate|update|alter|merge|program|do|execute|call|exec|xp_cmdshell|`,
    String.raw`sys_exec|sys_eval)\b`,
  ].join(''),
  'i',
);

interface Statement {
  readonly statement: string;
  /** without its strings */
  readonly words: string;
}

function readStatement(form: string, { statement, words }: Statement, dialect: Dialect, shell: Shell): void {
  const isHidden = noteHidden(form, statement, shell);
  const tree = treeOf(statement, dialect.grammars, shell);
  if (tree !== undefined) {
    note(form, findingsOf(tree), statement, shell);
    return;
  }
  if (isLook(words) && !isHidden) return;
  if (losesByWords(words)) shell.act('database_loss', form, statement);
  shell.act('run_unknown', form, statement);
}

function treeOf(statement: string, grammars: readonly SqlGrammar[], shell: Shell): SqlTree | undefined {
  if (shell.sql === undefined || !isParsable(statement)) return undefined;
  for (const grammar of grammars) {
    for (const text of spellings(statement)) {
      if (!shell.afford(STEPS_EACH + Math.ceil(text.length / CHARS_PER_STEP))) return undefined;
      const tree = shell.sql.parse(text, grammar);
      if (tree !== undefined) return tree;
    }
  }
  return undefined;
}

/** An unknown part of a statement is most likely a name, or a number. */
const spellings = (statement: string): readonly string[] =>
  isExact(statement) ? [statement] : ['unknown_name', '1'].map((value) => spelled(statement, value));
const spelled = (statement: string, value: string): string => statement.replace(/[\uE000-\uE004]+/g, value);

function note(form: string, { losses, programs, texts, unread }: SqlFindings, statement: string, shell: Shell): void {
  if (losses.length > 0) shell.act('database_loss', form, `${losses.join(', ')}: ${statement}`);
  // The server starts these, on the machine where it runs.
  for (const program of programs) runElsewhere(shell, () => shell.script(program, ANYTHING));
  for (const text of texts) noteBlock(form, text, shell);
  if (unread !== undefined) shell.act('run_unknown', form, `${unread}: ${shown(statement)}`);
}

/** Text that is run as a separate statement. */
const EXECUTED =
  /\b(?:execute(?:\s+immediate|\s+format)?|exec|sp_executesql|prepare\s+\w+\s+from)\s*\(?\s*N?'((?:[^']|'')*)'/gi;
/** The same for a text that only the server has. */
const EXECUTED_UNKNOWN = /\b(?:exec(?:ute)?|sp_executesql|execute\s+immediate|prepare\s+\w+\s+from)\s*\(?\s*@\w/i;
/** A server's own functions that start a shell. */
const STARTED = /\b(?:to|from)\s+program\s+'((?:[^']|'')*)'|\bsys_(?:exec|eval)\s*\(\s*'((?:[^']|'')*)'/gi;
/** The same for SQL Server, whose shell is the command prompt. */
const PROMPTED = /\bxp_cmdshell\s+N?'((?:[^']|'')*)'/gi;

/** Notes statements and commands in the strings of a statement; returns whether there are any. */
function noteHidden(form: string, statement: string, shell: Shell): boolean {
  const programs = [...statement.matchAll(STARTED)]
    .flatMap(([, ...texts]) => texts)
    .filter((text) => text !== undefined);
  for (const program of programs) runElsewhere(shell, () => shell.script(program.replaceAll("''", "'"), ANYTHING));
  const prompted = [...statement.matchAll(PROMPTED)].map(([, text = '']) => text.replaceAll("''", "'"));
  for (const text of prompted)
    runElsewhere(shell, () =>
      shell.invoke(
        ['cmd', '/c', text].map((word) => field(word)),
        ANYTHING,
      ),
    );
  const executed = [...statement.matchAll(EXECUTED)].map(([, text = '']) => text.replaceAll("''", "'"));
  for (const text of executed) noteBlock(form, text, shell);
  const isUnknown = EXECUTED_UNKNOWN.test(statement);
  if (isUnknown) shell.act('run_unknown', form, statement);
  return programs.length + prompted.length + executed.length > 0 || isUnknown;
}

/** A block of a procedural language executes its statements and their strings. */
function noteBlock(form: string, text: string, shell: Shell): void {
  if (losesByWords(text)) shell.act('database_loss', form, text);
}
