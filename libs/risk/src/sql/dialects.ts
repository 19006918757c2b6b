// SPDX-License-Identifier: Apache-2.0

/** The grammars of statements. `postgres` is the parser of Postgres itself; the others are those of node-sql-parser. */
export const SQL_GRAMMARS = [
  'postgres',
  'mysql',
  'sqlite',
  'transactsql',
  'snowflake',
  'bigquery',
  'trino',
  'hive',
  'db2',
] as const;
export type SqlGrammar = (typeof SQL_GRAMMARS)[number];

/** How a server or a client distinguishes words from strings and comments. */
export interface LexicalRules {
  /** in which strings a backslash escapes; in Postgres only in those with a preceding `E` */
  readonly backslash: 'always' | 'after_e' | 'never';
  /** whether `$tag$ … $tag$` is a string */
  readonly dollars: boolean;
  /** whether `#` begins a comment */
  readonly hash: boolean;
  /** whether `--` begins a comment only before white space */
  readonly dashesNeedSpace: boolean;
  /** whether a comment may hold another */
  readonly nested: boolean;
  /** whether a comment that begins with `!` is run */
  readonly executableComments: boolean;
  /** whether `[name]` is a name */
  readonly brackets: boolean;
  /** the form of the client's own commands */
  readonly client: 'backslash' | 'dot' | 'words';
}

/** A language of statements: its possible grammars, in order, and its lexical rules. */
export interface Dialect {
  readonly grammars: readonly SqlGrammar[];
  readonly lexicalRules: LexicalRules;
}

const STANDARD: LexicalRules = {
  backslash: 'never',
  dollars: false,
  hash: false,
  dashesNeedSpace: false,
  nested: false,
  executableComments: false,
  brackets: false,
  client: 'words',
};

export const POSTGRES: Dialect = {
  grammars: ['postgres'],
  lexicalRules: { ...STANDARD, backslash: 'after_e', dollars: true, nested: true, client: 'backslash' },
};
export const MYSQL: Dialect = {
  grammars: ['mysql'],
  lexicalRules: {
    ...STANDARD,
    backslash: 'always',
    hash: true,
    dashesNeedSpace: true,
    executableComments: true,
    client: 'backslash',
  },
};
export const SQLITE: Dialect = {
  grammars: ['sqlite', 'postgres'],
  lexicalRules: { ...STANDARD, brackets: true, client: 'dot' },
};
export const DUCKDB: Dialect = {
  grammars: ['postgres', 'sqlite'],
  lexicalRules: { ...STANDARD, dollars: true, client: 'dot' },
};
export const TRANSACT: Dialect = {
  grammars: ['transactsql'],
  lexicalRules: { ...STANDARD, nested: true, brackets: true },
};
export const SNOWFLAKE: Dialect = {
  grammars: ['snowflake', 'postgres'],
  lexicalRules: { ...STANDARD, backslash: 'always', dollars: true },
};
export const BIGQUERY: Dialect = {
  grammars: ['bigquery'],
  lexicalRules: { ...STANDARD, backslash: 'always', hash: true },
};
export const TRINO: Dialect = { grammars: ['trino', 'postgres'], lexicalRules: STANDARD };
export const HIVE: Dialect = { grammars: ['hive', 'mysql'], lexicalRules: { ...STANDARD, backslash: 'always' } };
export const DB2: Dialect = { grammars: ['db2', 'postgres'], lexicalRules: STANDARD };
/** For servers without a grammar here: the first grammar that accepts the statement. */
export const OTHER: Dialect = { grammars: ['postgres', 'mysql'], lexicalRules: STANDARD };
