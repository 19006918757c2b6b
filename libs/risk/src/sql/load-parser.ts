// SPDX-License-Identifier: Apache-2.0
import type { SqlGrammar } from './dialects.ts';
import type { SqlParser, SqlTree } from './parser.ts';

/** Loads and caches a module by its name, as a function from `createRequire`. */
export type LoadModule = Pick<NodeJS.Require, 'cache' | 'resolve'> & ((name: string) => unknown);

/** The used part of libpg-query. */
interface PostgresLibrary {
  loadModule(): Promise<void>;
  parseSync(text: string): SqlTree;
}
/** The used part of a file of node-sql-parser, each of which has the grammar of one dialect. */
interface DialectLibrary {
  readonly Parser: new () => { astify(text: string, options: { readonly database: string }): SqlTree };
}

/**
 * Loads the parser of Postgres, a WebAssembly module, at once. A grammar of another dialect is loaded at its first
 * statement: each takes some megabytes, and most processes need none.
 */
export async function loadSqlParser(load: LoadModule): Promise<SqlParser> {
  return new LibraryParser(await loadPostgres(load), load);
}

async function loadPostgres(load: LoadModule): Promise<PostgresLibrary> {
  const postgres = load('libpg-query') as PostgresLibrary;
  await postgres.loadModule();
  return postgres;
}

/** The library's error for a text that isn't SQL. */
const REFUSAL = 'SqlError';

class LibraryParser implements SqlParser {
  #postgres: PostgresLibrary | undefined;
  readonly #load: LoadModule;
  readonly #dialects = new Map<SqlGrammar, InstanceType<DialectLibrary['Parser']>>();

  constructor(postgres: PostgresLibrary, load: LoadModule) {
    this.#postgres = postgres;
    this.#load = load;
  }

  parse(text: string, grammar: SqlGrammar): SqlTree | undefined {
    try {
      return grammar === 'postgres'
        ? this.#postgres?.parseSync(text)
        : this.#dialect(grammar).astify(text, { database: grammar });
    } catch (error) {
      // A WebAssembly module that overflowed its stack or trapped is in an undefined state, so it is replaced.
      if (grammar === 'postgres' && (error as Error).name !== REFUSAL) this.#renew();
      return undefined;
    }
  }

  /** Until the new module is loaded, statements of Postgres count as unread. */
  #renew(): void {
    this.#postgres = undefined;
    Reflect.deleteProperty(this.#load.cache, this.#load.resolve('libpg-query'));
    loadPostgres(this.#load).then(
      (postgres) => {
        this.#postgres = postgres;
      },
      () => undefined,
    );
  }

  #dialect(grammar: SqlGrammar): InstanceType<DialectLibrary['Parser']> {
    const known = this.#dialects.get(grammar);
    if (known) return known;
    const { Parser } = this.#load(`node-sql-parser/build/${grammar}`) as DialectLibrary;
    const parser = new Parser();
    this.#dialects.set(grammar, parser);
    return parser;
  }
}
