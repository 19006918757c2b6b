// SPDX-License-Identifier: Apache-2.0
import { SQL_ERRORS, type LoginRole, type SqlErrorName, type SqlFunctionRow } from '@writ/database';
import type { CatalogFunction } from './function-catalog.ts';

type Catalog = ReadonlyMap<string, CatalogFunction>;

/** The differences between a table of SQL functions and the database; empty where the two agree. */
export function wrongRows(table: readonly SqlFunctionRow[], catalog: Catalog): string[] {
  return table.flatMap((row) => {
    const found = catalog.get(row.function.slice(row.function.indexOf('.') + 1));
    if (found === undefined) return [`${row.function} is not there`];
    const expected = Object.entries(row.parameters).map(([name, { pg }]) => `${name} ${pg}`);
    return [
      differs(
        'takes',
        expected,
        found.parameters.map(([name, type]) => `${name} ${type}`),
      ),
      differs('raises', row.errors.map(stateOf).sort(), found.errors.map(stateOf).sort()),
      fits(row, found) ? null : `returns \`${found.returns}\`, and the table says \`${row.returns}\``,
    ].flatMap((wrong) => (wrong === null ? [] : [`${row.function} ${wrong}`]));
  });
}

/**
 * Functions that one of the roles may call, and that neither the table nor the schema itself calls. They are dead, or
 * another form of statement calls them.
 */
export function uncalledFunctions(
  table: readonly SqlFunctionRow[],
  catalog: Catalog,
  roles: readonly LoginRole[],
): string[] {
  const called = new Set(table.map((row) => row.function.slice(row.function.indexOf('.') + 1)));
  return [...catalog.values()]
    .filter(({ name, isUsed }) => !isUsed && !called.has(name))
    .filter((one) => roles.some((role) => one.roles.includes(role)))
    .map(({ name }) => name);
}

/** A function that returns a set may always return a single row. */
const fits = ({ returns }: SqlFunctionRow, found: CatalogFunction): boolean =>
  returns === found.returns || (returns === 'row' && found.returns === 'rows');

function differs(verb: string, expected: readonly string[], found: readonly string[]): string | null {
  return expected.join() === found.join()
    ? null
    : `${verb} (${found.join(', ')}), and the table says (${expected.join(', ')})`;
}

/** The name of an error in the table or in PostgreSQL, else the SQLSTATE itself. */
function stateOf(error: string): string {
  return error in SQL_ERRORS ? SQL_ERRORS[error as SqlErrorName].state : error;
}
