// SPDX-License-Identifier: Apache-2.0
import { isExact, withoutMarkers } from '../shell/field.ts';
import { takeOptions } from '../shell/options.ts';
import type { Invocation, Reading, Shell } from '../shell/shell.ts';
import { ANYTHING, textOf } from '../shell/source.ts';

/** Statements of the text without their comments and strings, so that words in them don't count. */
function statements(sql: string): string[] {
  return sql
    .replace(/--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'/g, ' ')
    .split(';')
    .map((statement) => statement.trim().replace(/\s+/g, ' ').toLowerCase());
}

const LOSSES: readonly RegExp[] = [
  /^alter table .* delete\b/, /^drop (?!.*\bif exists temp_)/, /^truncate\b/, /^alter table .* drop\b/, /^delete from (?!.*\bwhere\b)/, /^update (?!.*\bwhere\b).*\bset\b/, /^(?:with .*)?\bdelete from \S+ where (?:1 ?= ?1|true)\b/,
];

/** Text that is run as a statement of its own: what a block executes stands in its strings. */
const EXECUTED = /\bexecute\b(?:\s+immediate|\s+format)?\s*\(?\s*'((?:[^']|'')*)'/gi;

/** A server's own way to a shell: `copy … to program 'sh'`. */
const STARTED = /\b(?:to|from)\s+program\s+'((?:[^']|'')*)'|\bsys_(?:exec|eval)\s*\(\s*'((?:[^']|'')*)'|\bxp_cmdshell\s+N?'((?:[^']|'')*)'/gi;

/** Notes SQL that loses tables, columns or all rows. */
export function noteSql(form: string, sql: string, shell: Shell): void {
  if (withoutMarkers(sql).trim() === '' && !isExact(sql)) shell.act('run_unknown', form, sql);
  for (const [, ...commands] of sql.matchAll(STARTED)) for (const command of commands) if (command) shell.script(command.replaceAll("''", "'"), ANYTHING);
  for (const statement of [...statements(sql), ...[...sql.matchAll(EXECUTED)].flatMap(([, inner = '']) => statements(inner))]) {
    if (LOSSES.some((loss) => loss.test(statement))) shell.act('database_loss', form, statement);
  }
}

const TEXT = ['-c', '--command', '-e', '--execute', '-q', '--query', '-Q', '--sql', '-cmd', '--eval', '--exec', '-C'];
const CONNECTION = ['-h', '--host', '-p', '--port', '-U', '-u', '--username', '--user', '-d', '--dbname', '--database', '-f', '--file', '-D', '-P', '-S', '-v', '-o', '-i', '-t'];

/** What a client itself hands to a shell. */
const SHELL_ESCAPE = /^\s*(?:\\!|\.shell|\.system|system|!)\s+(.+)$/gm;

/** A statement that stands alone as an argument of a program that isn't known. */
const STATEMENT = /^(?:drop (?:table|database|schema|view|index|role|user|keyspace|collection|stage|warehouse|materialized view)|truncate(?: table)? [\w."]+$|delete from [\w."]+$|alter table \S+ drop\b)/;

/** Notes SQL that a program is given of which nothing is known. */
export function noteSqlArguments({ name, args }: Invocation, shell: Shell): void {
  for (const { text } of args) {
    const lost = statements(text.replace(/^--?\w[\w-]*=/, '')).find((statement) => STATEMENT.test(statement));
    if (lost !== undefined) shell.act('database_loss', name, lost);
  }
}

/** A client with SQL in an option, as its last operand (`sqlite3 db sql`), or on its input. */
const client = (operand: boolean, given: readonly string[] = TEXT): Reading => ({ name, args, stdin }, shell) => {
  // A password is glued to mysql's `-p`, or asked for.
  const options = takeOptions(args, [...given, ...CONNECTION.filter((flag) => flag !== '-p' || !given.includes('--init-command'))]);
  const texts = given.flatMap((flag) => options.allValues.get(flag) ?? []).map(({ text }) => text);
  if (operand) texts.push(...options.operands.slice(1).map(({ text }) => text));
  if (texts.length === 0 && (stdin.kind === 'text' || stdin.kind === 'downloaded')) texts.push(textOf(stdin));
  for (const text of texts) {
    noteSql(name, text, shell);
    for (const [, command = ''] of text.matchAll(SHELL_ESCAPE)) shell.script(command, ANYTHING);
  }
  return ANYTHING;
};

const MONGO_LOSS = /\.drop\w*\s*\(|\bdrop\w*\s*:|\.deleteMany\s*\(\s*\{\s*\}|\.remove\s*\(\s*\{\s*\}/;
const mongo: Reading = ({ name, args, stdin }, shell) => {
  const text = `${takeOptions(args, ['--eval']).values.get('--eval')?.text ?? ''}\n${stdin.kind === 'text' ? stdin.text : ''}`;
  if (MONGO_LOSS.test(text)) shell.act('database_loss', name, text.trim());
  return ANYTHING;
};

const CYPHER_LOSS = /\bdetach\s+delete\b|\bmatch\b[\s\S]*\bdelete\b|\bdrop\s+(?:database|index|constraint)\b/i;
const cypher: Reading = ({ name, args, stdin }, shell) => {
  for (const { text } of [...args, { text: textOf(stdin) }]) if (CYPHER_LOSS.test(text)) shell.act('database_loss', name, text);
  return ANYTHING;
};

/** Notes what a text says to a store that is spoken to without a client. */
export function noteSpoken(form: string, text: string, shell: Shell): void {
  const line = text.split(/\r?\n/).find((one) => /^\s*(?:flushall|flushdb|flush_all)\b/i.test(one));
  if (line !== undefined) shell.act('database_loss', form, line);
}

const REDIS_LOSS = /^\s*(?:flushall|flushdb|config\s+set|config\s+rewrite|debug\s|shutdown|(?:replica|slave)of|cluster\s+(?:reset|forget|flushslots)|script\s+flush|module\s+load|swapdb|(?:eval|evalsha|fcall)\b[\s\S]*\b(?:flushall|flushdb|del|unlink)\b)/i;
const redis: Reading = ({ name, args, stdin }, shell) => {
  const words = takeOptions(args, ['-h', '-p', '-a', '-n', '-u', '--user', '--pass']).operands.map(({ text }) => text).join(' ');
  if (args.some(({ text }) => /^flush(?:all|db)$/i.test(text))) shell.act('database_loss', name, 'flush');
  if (/^(?:del|unlink)\b/i.test(words) && !isExact(words)) shell.act('database_loss', name, words);
  for (const line of words === '' ? textOf(stdin).split('\n') : [words]) if (REDIS_LOSS.test(line)) shell.act('database_loss', name, line);
  return ANYTHING;
};

export const DATABASES: Readonly<Record<string, Reading>> = {
  psql: client(false, ['-c', '--command']), mysql: client(false, ['-e', '--execute', '--init-command']), mariadb: client(false, ['-e', '--execute', '--init-command']), sqlcmd: client(false), cockroach: client(false), clickhouse: client(false), 'clickhouse-client': client(false), pgcli: client(false, ['-c', '--command']), bq: client(true), usql: client(false),
  sqlite3: client(true), sqlite: client(true), duckdb: client(true), mongo, mongosh: mongo, 'cypher-shell': cypher,
  cqlsh: client(false), snowsql: client(false), snow: client(false), 'mssql-cli': client(false), trino: client(false), presto: client(false), beeline: client(false), hive: client(false), 'impala-shell': client(false), 'spark-sql': client(false), isql: client(true), osql: client(false), sqlplus: client(true), db2: client(true), vsql: client(false), litecli: client(true), mycli: client(false), ysqlsh: client(false), tsql: client(false),
  'redis-cli': redis, 'valkey-cli': redis,
};
