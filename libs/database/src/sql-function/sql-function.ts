// SPDX-License-Identifier: Apache-2.0
import type { QueryConfig } from 'pg';
import type { Client, Pool } from '../pool.ts';
import { runStatement } from '../statement.ts';
import { ASYNC_COMMIT } from '../async-commit.ts';
import type { SqlErrorName } from './sql-errors.ts';
import type { SqlType } from './sql-types.ts';

/** The result of a call: `value` is the function's single value, `row` its first row or null, `rows` all rows. */
export type SqlReturns = 'value' | 'row' | 'rows' | 'nothing';

// `any`: a table holds parameters of all types, and SqlType is not covariant.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type SqlParameters = Readonly<Record<string, SqlType<any>>>;

export type SqlArguments<P extends SqlParameters> = {
  readonly [K in keyof P]: P[K] extends SqlType<infer T> ? T : never;
};

export type SqlResult<Returns extends SqlReturns, Reply> = Returns extends 'value'
  ? Reply
  : Returns extends 'row'
    ? Reply | null
    : Returns extends 'rows'
      ? Reply[]
      : undefined;

export interface SqlFunctionOptions<Returns extends SqlReturns> {
  readonly returns: Returns;
  /** The errors that it or its callees raise, triggers included. A spec compares them with the SQL. */
  readonly errors?: readonly SqlErrorName[];
  /** COMMIT returns before it is on disk, see `ASYNC_COMMIT`. False by default. */
  readonly asyncCommit?: boolean;
  /** Maps the driver's error to the error for callers. */
  readonly mapError?: (error: unknown) => unknown;
}

export interface CallOptions {
  /** COMMIT of this call returns before it is on disk, see `ASYNC_COMMIT`. */
  readonly asyncCommit?: boolean;
}

/** The declaration of a function, which a spec compares with the database. */
export interface SqlFunctionRow {
  /** The name, with its schema. */
  readonly function: string;
  /** In the order of the function's parameters, without the prefix `p_`. */
  readonly parameters: SqlParameters;
  readonly returns: SqlReturns;
  readonly errors: readonly SqlErrorName[];
}

/** A function of one of our schemas, for its callers. */
export interface SqlFunction<Args, Result> extends SqlFunctionRow {
  /**
   * Calls it as one prepared statement in its own transaction, again after a deadlock or a serialisation failure.
   * Resolves after its COMMIT.
   * @throws Fault `database.unavailable` or `overloaded`, see `runStatement`; an error of `errors`
   */
  (pool: Pool, args: Args, options?: CallOptions): Promise<Result>;
  /** Calls it in the open transaction of this connection. Throws the driver's errors. */
  readonly in: (client: Client, args: Args) => Promise<Result>;
  /** The statement with its values, for a transaction on another client. */
  readonly statement: (args: Args) => { readonly name: string; readonly text: string; readonly values: unknown[] };
}

type Row = Record<string, unknown>;

/**
 * Declares an SQL function: `sqlFunction<Reply>()('schema.name', { first: sqlTypes.text, … }, { returns: 'value' })`.
 * Reply is the type of the value, or of one row. Members of `parameters` have the order and names of the function's
 * parameters, without the prefix `p_`. A row is an object with the function's columns.
 *
 * @throws Error for an asynchronous COMMIT of a function that returns rows: if it returned none, COMMIT would be
 * awaited
 */
export function sqlFunction<Reply = undefined>() {
  return function declare<const P extends SqlParameters, Returns extends SqlReturns>(
    name: `${string}.${string}`,
    parameters: P,
    options: SqlFunctionOptions<Returns>,
  ): SqlFunction<SqlArguments<P>, SqlResult<Returns, Reply>> {
    type Args = SqlArguments<P>;
    type Result = SqlResult<Returns, Reply>;
    const { returns, errors = [], mapError = (error) => error } = options;
    const texts = new Map([false, true].map((unawaited) => [unawaited, textOf(name, parameters, returns, unawaited)]));
    const statementOf = (args: Args, unawaited = false) => {
      const text = texts.get(unawaited);
      if (text === undefined || text === null)
        throw new Error(`\`${name}\` returns rows, and so its COMMIT is always awaited`);
      return { name: `${name}${unawaited ? '/unawaited' : ''}`, text, values: valuesOf(parameters, args) };
    };
    const run = async (send: (query: QueryConfig) => Promise<{ rows: Row[] }>, args: Args, unawaited?: boolean) => {
      const query = statementOf(args, unawaited);
      try {
        return resultOf(returns, (await send(query)).rows) as Result;
      } catch (error) {
        throw mapError(error);
      }
    };
    const call = (pool: Pool, args: Args, { asyncCommit = options.asyncCommit }: CallOptions = {}) =>
      run((query) => runStatement<Row>(pool, query), args, asyncCommit);
    return Object.assign(call, {
      function: name,
      parameters,
      returns,
      errors,
      in: (client: Client, args: Args) => run((query) => client.query<Row>(query), args),
      statement: (args: Args) => statementOf(args),
    });
  };
}

function textOf(name: string, parameters: SqlParameters, returns: SqlReturns, unawaited: boolean): string | null {
  const call = `${name}(${Object.keys(parameters)
    .map((_, index) => `$${String(index + 1)}`)
    .join(', ')})`;
  if (returns === 'row' || returns === 'rows') return unawaited ? null : `SELECT * FROM ${call}`;
  return `SELECT ${call} AS value${unawaited ? ` FROM ${ASYNC_COMMIT}` : ''}`;
}

function valuesOf(parameters: SqlParameters, args: Readonly<Record<string, unknown>>): unknown[] {
  return Object.entries(parameters).map(([name, { toParameter }]) => toParameter(args[name]) as unknown);
}

function resultOf(returns: SqlReturns, rows: Row[]): unknown {
  if (returns === 'rows') return rows;
  if (returns === 'row') return rows[0] ?? null;
  return returns === 'value' ? rows[0]?.['value'] : undefined;
}
