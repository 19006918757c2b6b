// SPDX-License-Identifier: Apache-2.0
import type { SqlGrammar } from './dialects.ts';
import type { SqlParser, SqlTree } from './parser.ts';

/** Loads a module of the process by its name, and remembers it, as `createRequire` makes it. */
export type LoadModule = Pick<NodeJS.Require, 'cache' | 'resolve'> & ((name: string) => unknown);

/** The part of libpg-query that is used here. */
interface PostgresLibrary {
  loadModule(): Promise<void>;
  parseSync(text: string): SqlTree;
}
/** The part of a file of node-sql-parser that is used here: each holds the grammar of one dialect. */
interface DialectLibrary {
  readonly Parser: new () => { astify(text: string, options: { readonly database: string }): SqlTree };
}

/**
 * Loads the parser of Postgres at once, which is WebAssembly, and a grammar of another dialect when the first statement
 * of it comes: each
 * takes some megabytes, and most processes see none.
 */
export async function loadSqlParser(load: LoadModule): Promise<SqlParser> {
  return new LibraryParser(await loadPostgres(load), load);
}

async function loadPostgres(load: LoadModule): Promise<PostgresLibrary> {
  const postgres = load('libpg-query') as PostgresLibrary;
  await postgres.loadModule();
  return postgres;
}

/** What the library throws at a text that isn't SQL. */
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
      // A module of WebAssembly that ran out of its stack or trapped may hold anything: another takes its place.
      if (grammar === 'postgres' && (error as Error).name !== REFUSAL) this.#renew();
      return undefined;
    }
  }

  /** Until the new module is there, statements of Postgres count as unread. */
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
