// SPDX-License-Identifier: Apache-2.0

/**
 * A grammar that statements are parsed by. `postgres` is the parser of Postgres itself; the others are those of
 * node-sql-parser.
 */
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

/** How a server or a client tells words from strings and comments. */
export interface Lexis {
  /** whether a backslash escapes in every string; Postgres does that in strings with an `E` in front alone */
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
  /** what the client itself understands besides SQL */
  readonly client: 'backslash' | 'dot' | 'words';
}

/** A language of statements: which grammars may parse it, in order, and how its text is taken apart. */
export interface Dialect {
  readonly grammars: readonly SqlGrammar[];
  readonly lexis: Lexis;
}

const STANDARD: Lexis = {
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
  lexis: { ...STANDARD, backslash: 'after_e', dollars: true, nested: true, client: 'backslash' },
};
export const MYSQL: Dialect = {
  grammars: ['mysql'],
  lexis: {
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
  lexis: { ...STANDARD, brackets: true, client: 'dot' },
};
export const DUCKDB: Dialect = {
  grammars: ['postgres', 'sqlite'],
  lexis: { ...STANDARD, dollars: true, client: 'dot' },
};
export const TRANSACT: Dialect = { grammars: ['transactsql'], lexis: { ...STANDARD, nested: true, brackets: true } };
export const SNOWFLAKE: Dialect = {
  grammars: ['snowflake', 'postgres'],
  lexis: { ...STANDARD, backslash: 'always', dollars: true },
};
export const BIGQUERY: Dialect = { grammars: ['bigquery'], lexis: { ...STANDARD, backslash: 'always', hash: true } };
export const TRINO: Dialect = { grammars: ['trino', 'postgres'], lexis: STANDARD };
export const HIVE: Dialect = { grammars: ['hive', 'mysql'], lexis: { ...STANDARD, backslash: 'always' } };
export const DB2: Dialect = { grammars: ['db2', 'postgres'], lexis: STANDARD };
/** Of servers that have no grammar of their own here: whichever takes the statement. */
export const OTHER: Dialect = { grammars: ['postgres', 'mysql'], lexis: STANDARD };
