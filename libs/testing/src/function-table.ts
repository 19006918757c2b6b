// SPDX-License-Identifier: Apache-2.0
import { SQL_ERRORS, type LoginRole, type SqlErrorName, type SqlFunctionRow } from '@writ/database';
import type { CatalogFunction } from './function-catalog.ts';

type Catalog = ReadonlyMap<string, CatalogFunction>;

/** Where a table of SQL functions says something else than the database; empty where the two agree. */
export function wrongRows(table: readonly SqlFunctionRow[], catalog: Catalog): string[] {
  return table.flatMap((row) => {
    const found = catalog.get(row.function.slice(row.function.indexOf('.') + 1));
    if (found === undefined) return [`${row.function} is not there`];
    const said = Object.entries(row.parameters).map(([name, { pg }]) => `${name} ${pg}`);
    return [
      differs(
        'takes',
        said,
        found.parameters.map(([name, type]) => `${name} ${type}`),
      ),
      differs('raises', row.errors.map(stateOf).sort(), found.errors.map(stateOf).sort()),
      fits(row, found) ? null : `returns \`${found.returns}\`, and the table says \`${row.returns}\``,
    ].flatMap((wrong) => (wrong === null ? [] : [`${row.function} ${wrong}`]));
  });
}

/**
 * Functions that one of the roles may call, and that neither the table nor the schema itself calls: they are dead, or
 * called by a statement that is no plain call.
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

/** One row may be all that a function which returns a set ever has. */
const fits = ({ returns }: SqlFunctionRow, found: CatalogFunction): boolean =>
  returns === found.returns || (returns === 'row' && found.returns === 'rows');

function differs(verb: string, said: readonly string[], found: readonly string[]): string | null {
  return said.join() === found.join() ? null : `${verb} (${found.join(', ')}), and the table says (${said.join(', ')})`;
}

/** By its name in the table or in PostgreSQL, else the SQLSTATE itself. */
function stateOf(error: string): string {
  return error in SQL_ERRORS ? SQL_ERRORS[error as SqlErrorName].state : error;
}
