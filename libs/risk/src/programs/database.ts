// SPDX-License-Identifier: Apache-2.0
import { isExact, withoutMarkers } from '../shell/field.ts';
import { takeOptions } from '../shell/options.ts';
import type { Reading, Shell } from '../shell/shell.ts';
import { ANYTHING, textOf } from '../shell/source.ts';

/** Statements of the text without their comments and strings, so that words in them don't count. */
function statements(sql: string): string[] {
  return sql
    .replace(/--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'/g, ' ')
    .split(';')
    .map((statement) => statement.trim().replace(/\s+/g, ' ').toLowerCase());
}

const LOSSES: readonly RegExp[] = [
  /^drop (?!.*\bif exists temp_)/, /^truncate\b/, /^alter table .* drop\b/, /^delete from (?!.*\bwhere\b)/, /^update (?!.*\bwhere\b).*\bset\b/, /^(?:with .*)?\bdelete from \S+ where (?:1 ?= ?1|true)\b/,
];

/** Notes SQL that loses tables, columns or all rows. */
export function noteSql(form: string, sql: string, shell: Shell): void {
  if (withoutMarkers(sql).trim() === '' && !isExact(sql)) shell.act('run_unknown', form, sql);
  for (const statement of statements(sql)) {
    if (LOSSES.some((loss) => loss.test(statement))) shell.act('database_loss', form, statement);
  }
}

const TEXT = ['-c', '--command', '-e', '--execute', '-q', '--query', '-Q', '--sql', '-cmd', '--eval', '--exec', '-C'];
const CONNECTION = ['-h', '--host', '-p', '--port', '-U', '-u', '--username', '--user', '-d', '--dbname', '--database', '-f', '--file', '-D', '-P', '-S', '-v', '-o', '-i', '-t'];

/** A client with SQL in an option, as its last operand (`sqlite3 db sql`), or on its input. */
const client = (operand: boolean): Reading => ({ name, args, stdin }, shell) => {
  const options = takeOptions(args, [...TEXT, ...CONNECTION]);
  const texts = TEXT.flatMap((flag) => options.allValues.get(flag) ?? []).map(({ text }) => text);
  if (operand) texts.push(...options.operands.slice(1).map(({ text }) => text));
  if (texts.length === 0 && (stdin.kind === 'text' || stdin.kind === 'downloaded')) texts.push(textOf(stdin));
  for (const text of texts) noteSql(name, text, shell);
  return ANYTHING;
};

const MONGO_LOSS = /\.drop(?:Database|Index(?:es)?)?\s*\(|\.deleteMany\s*\(\s*\{\s*\}|\.remove\s*\(\s*\{\s*\}/;
const mongo: Reading = ({ name, args, stdin }, shell) => {
  const text = `${takeOptions(args, ['--eval']).values.get('--eval')?.text ?? ''}\n${stdin.kind === 'text' ? stdin.text : ''}`;
  if (MONGO_LOSS.test(text)) shell.act('database_loss', name, text.trim());
  return ANYTHING;
};

const REDIS_LOSS = /^\s*(?:flushall|flushdb|config\s+set|debug\s+segfault|shutdown)\b/i;
const redis: Reading = ({ name, args, stdin }, shell) => {
  const words = takeOptions(args, ['-h', '-p', '-a', '-n', '-u', '--user', '--pass']).operands.map(({ text }) => text).join(' ');
  if (/^(?:del|unlink)\b/i.test(words) && !isExact(words)) shell.act('database_loss', name, words);
  for (const line of words === '' ? textOf(stdin).split('\n') : [words]) if (REDIS_LOSS.test(line)) shell.act('database_loss', name, line);
  return ANYTHING;
};

export const DATABASES: Readonly<Record<string, Reading>> = {
  psql: client(false), mysql: client(false), mariadb: client(false), sqlcmd: client(false), cockroach: client(false), clickhouse: client(false), 'clickhouse-client': client(false), pgcli: client(false), bq: client(true), usql: client(false),
  sqlite3: client(true), sqlite: client(true), duckdb: client(true), mongo, mongosh: mongo, 'redis-cli': redis, 'valkey-cli': redis,
};
