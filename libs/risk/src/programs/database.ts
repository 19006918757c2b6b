// SPDX-License-Identifier: Apache-2.0
import { isExact, type Field } from '../shell/field.ts';
import { parseOptions } from '../shell/options.ts';
import type { Invocation, Reading, Shell } from '../shell/shell.ts';
import { ANYTHING, textOf } from '../shell/source.ts';
import {
  BIGQUERY,
  DB2,
  DUCKDB,
  HIVE,
  MYSQL,
  OTHER,
  POSTGRES,
  SNOWFLAKE,
  SQLITE,
  TRANSACT,
  TRINO,
  type Dialect,
} from '../sql/dialects.ts';
import { noteLostBySql, readSql } from '../sql/read-statements.ts';
import { losesAsStatement } from '../sql/words.ts';

/** Notes the losses of a text that code of another language sends to a database of unknown kind. */
export function noteSql(form: string, sql: string, shell: Shell): void {
  noteLostBySql(form, sql, OTHER, shell);
}

/** Notes SQL in the arguments of an unknown program. */
export function noteSqlArguments({ name, args }: Invocation, shell: Shell): void {
  for (const { text } of args) {
    const value = text.replace(/^--?\w[\w-]*=/, '');
    if (OBJECTS.test(value) && losesAsStatement(value)) shell.act('database_loss', name, value);
  }
}

/** Two words with which an ordinary sentence in an argument rarely begins. */
const OBJECTS = new RegExp(
  `^\\s*(?:${[
    'drop (?:table|database|schema|view|index|role|user|keyspace|collection|stage|warehouse|materialized view)',
    'truncate(?: table)? [\\w."]+\\s*;?\\s*$',
    'delete from [\\w."]+\\s*;?\\s*$',
    'alter table \\S+ drop\\b',
  ].join('|')})`,
  'i',
);

/** The command line of a client of a database. */
interface Client {
  readonly dialect: Dialect;
  /** options whose value is statements */
  readonly texts: readonly string[];
  /** other options that take a value */
  readonly values: readonly string[];
  /** options whose value names a file of statements */
  readonly files: readonly string[];
  /** whether operands after the first are statements, as in `sqlite3 db sql` */
  readonly operands?: boolean;
}

const TEXT = ['-c', '--command', '-e', '--execute', '-q', '--query', '-Q', '--sql', '-cmd', '--eval', '--exec'];
const CONNECTION = [
  '-h',
  '--host',
  '-p',
  '--port',
  '-U',
  '-u',
  '--username',
  '--user',
  '-d',
  '--dbname',
  '--database',
  '-D',
  '-P',
  '-S',
  '-o',
  '-C',
];
const ANY: Client = { dialect: OTHER, texts: TEXT, values: CONNECTION, files: ['-f', '--file', '-i'] };

const PSQL: Client = {
  dialect: POSTGRES,
  texts: ['-c', '--command'],
  files: ['-f', '--file'],
  values: [
    '-d',
    '--dbname',
    '-L',
    '--log-file',
    '-o',
    '--output',
    '-F',
    '--field-separator',
    '-P',
    '--pset',
    '-R',
    '--record-separator',
    '-T',
    '--table-attr',
    '-h',
    '--host',
    '-p',
    '--port',
    '-U',
    '--username',
    '-v',
    '--set',
    '--variable',
  ],
};
const MYSQL_CLIENT: Client = {
  dialect: MYSQL,
  texts: ['-e', '--execute', '--init-command'],
  files: [],
  // A password is attached to `-p`, or prompted for.
  values: [
    '-h',
    '--host',
    '-u',
    '--user',
    '-P',
    '--port',
    '-S',
    '--socket',
    '-D',
    '--database',
    '--default-character-set',
    '--login-path',
    '--protocol',
    '--ssl-mode',
    '--ssl-ca',
  ],
};
const SQLITE_SHELL: Client = {
  dialect: SQLITE,
  texts: ['-cmd'],
  files: ['-init'],
  operands: true,
  values: ['-separator', '-newline', '-nullvalue', '-mmap', '-maxsize', '-vfs', '-A'],
};
const SQLCMD: Client = {
  dialect: TRANSACT,
  texts: ['-Q', '-q'],
  files: ['-i'],
  values: ['-S', '-U', '-P', '-d', '-o', '-v', '-h', '-s', '-w', '-t', '-l', '-m', '-f', '-K', '-H', '-a'],
};

/** A client with statements in an option, as an operand, in a file that the command wrote, or in its input. */
const client =
  (how: Client): Reading =>
  ({ name, args, stdin }, shell) => {
    const { allValues, operands } = parseOptions(args, [...how.texts, ...how.files, ...how.values]);
    const texts = new Set(how.texts.flatMap((flag) => allValues.get(flag) ?? []).map(({ text }) => text));
    for (const text of behind(how.texts, args)) texts.add(text);
    if (how.operands) for (const { text } of operands.slice(1)) texts.add(text);
    for (const file of how.files.flatMap((flag) => allValues.get(flag) ?? []))
      for (const text of contentOf(file, shell)) texts.add(text);
    if (stdin.kind === 'text' || stdin.kind === 'downloaded') texts.add(textOf(stdin));
    for (const text of texts) readSql(name, text, how.dialect, shell);
    return ANYTHING;
  };

/** The arguments after such an option at any position, also in a cluster, whatever the options before it take. */
function behind(flags: readonly string[], args: readonly Field[]): readonly string[] {
  const short = flags.filter((flag) => flag.length === 2).map((flag) => flag.charAt(1));
  return args.flatMap(({ text }, index) => {
    const isFlag = flags.includes(text) || (/^-[A-Za-z]{2,8}$/.test(text) && short.includes(text.slice(-1)));
    const next = args[index + 1];
    return isFlag && next ? [next.text] : [];
  });
}

/** The text that the command itself wrote into the file. The content of a file of the workspace is unknown here. */
function contentOf(file: Field, shell: Shell): readonly string[] {
  const path = shell.path(file);
  const content = file.source ?? (path === undefined ? undefined : shell.scope.files.get(path));
  return content === undefined ? [] : [textOf(content)];
}

const MONGO_LOSS = /\.drop\w*\s*\(|\bdrop\w*\s*:|\.deleteMany\s*\(\s*\{\s*\}|\.remove\s*\(\s*\{\s*\}/;
const mongo: Reading = ({ name, args, stdin }, shell) => {
  const text = `${parseOptions(args, ['--eval']).values.get('--eval')?.text ?? ''}\n${stdin.kind === 'text' ? stdin.text : ''}`;
  if (MONGO_LOSS.test(text)) shell.act('database_loss', name, text.trim());
  return ANYTHING;
};

const CYPHER_LOSS = /\bdetach\s+delete\b|\bmatch\b[\s\S]*\bdelete\b|\bdrop\s+(?:database|index|constraint)\b/i;
const cypher: Reading = ({ name, args, stdin }, shell) => {
  for (const { text } of [...args, { text: textOf(stdin) }])
    if (CYPHER_LOSS.test(text)) shell.act('database_loss', name, text);
  return ANYTHING;
};

/** Notes the statements that a text sends to a store without a client. */
export function noteStoreText(form: string, text: string, shell: Shell): void {
  const line = text.split(/\r?\n/).find((one) => /^\s*(?:flushall|flushdb|flush_all)\b/i.test(one));
  if (line !== undefined) shell.act('database_loss', form, line);
}

const REDIS_LOSS =
  /^\s*(?:flushall|flushdb|config\s+set|config\s+rewrite|debug\s|shutdown|(?:replica|slave)of|cluster\s+(?:reset|forget|flushslots)|script\s+flush|module\s+load|swapdb|(?:eval|evalsha|fcall)\b[\s\S]*\b(?:flushall|flushdb|del|unlink)\b)/i;
const redis: Reading = ({ name, args, stdin }, shell) => {
  const words = parseOptions(args, ['-h', '-p', '-a', '-n', '-u', '--user', '--pass'])
    .operands.map(({ text }) => text)
    .join(' ');
  if (args.some(({ text }) => /^flush(?:all|db)$/i.test(text))) shell.act('database_loss', name, 'flush');
  if (/^(?:del|unlink)\b/i.test(words) && !isExact(words)) shell.act('database_loss', name, words);
  for (const line of words === '' ? textOf(stdin).split('\n') : [words])
    if (REDIS_LOSS.test(line)) shell.act('database_loss', name, line);
  return ANYTHING;
};

const of = (dialect: Dialect, more: Partial<Client> = {}): Reading => client({ ...ANY, dialect, ...more });
const psql = client(PSQL);
const mysql = client(MYSQL_CLIENT);
const sqlite = client(SQLITE_SHELL);
const sqlcmd = client(SQLCMD);
const other = client(ANY);
const operands = { operands: true } as const;

export const DATABASES: Readonly<Record<string, Reading>> = {
  psql,
  pgcli: psql,
  ysqlsh: psql,
  cockroach: of(POSTGRES),
  usql: of({ ...POSTGRES, grammars: ['postgres', 'mysql', 'sqlite'] }, { texts: ['-c', '--command'] }),
  vsql: of(POSTGRES, { texts: ['-c'] }),
  mysql,
  mariadb: mysql,
  mycli: mysql,
  mysqlsh: of(MYSQL, { texts: [...MYSQL_CLIENT.texts, '--sql'] }),
  tidb: mysql,
  sqlite3: sqlite,
  sqlite,
  litecli: sqlite,
  turso: of(SQLITE, operands),
  duckdb: client({ ...SQLITE_SHELL, dialect: DUCKDB, texts: ['-c', '-s', '-cmd'] }),
  sqlcmd,
  'mssql-cli': sqlcmd,
  osql: sqlcmd,
  tsql: of(TRANSACT),
  isql: of(TRANSACT, operands),
  bq: of(BIGQUERY, operands),
  snowsql: of(SNOWFLAKE),
  snow: of(SNOWFLAKE),
  trino: of(TRINO),
  presto: of(TRINO),
  beeline: of(HIVE),
  hive: of(HIVE),
  'impala-shell': of(HIVE),
  'spark-sql': of(HIVE),
  db2: of(DB2, operands),
  clickhouse: other,
  'clickhouse-client': other,
  cqlsh: other,
  sqlplus: of(OTHER, operands),
  mongo,
  mongosh: mongo,
  'cypher-shell': cypher,
  'redis-cli': redis,
  'valkey-cli': redis,
};
