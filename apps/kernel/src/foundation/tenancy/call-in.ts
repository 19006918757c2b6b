// SPDX-License-Identifier: Apache-2.0
import type { SqlFunction } from '@writ/database';
import type { Rows } from './tenancy.ts';

/**
 * Calls an SQL function in the transaction that is open on these rows. Errors are Prisma's, which `Tenancy.within`
 * translates.
 */
export async function callIn<Args, Result>(
  rows: Rows,
  { function: name, parameters, returns, statement }: SqlFunction<Args, Result>,
  args: Args,
): Promise<Result> {
  // Prisma chooses a type for each value itself, and can't read the type void.
  const call = `${name}(${Object.values(parameters)
    .map(({ pg }, index) => `$${String(index + 1)}::${pg}`)
    .join(', ')})`;
  const { values } = statement(args);
  if (returns === 'nothing') {
    await rows.$executeRawUnsafe(`SELECT ${call}`, ...values);
    return undefined as Result;
  }
  const many = returns === 'row' || returns === 'rows';
  const found = await rows.$queryRawUnsafe<Record<string, unknown>[]>(
    many ? `SELECT * FROM ${call}` : `SELECT ${call} AS value`,
    ...values,
  );
  const numbered = found.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([column, value]) => [column, typeof value === 'bigint' ? Number(value) : value]),
    ),
  );
  if (returns === 'rows') return numbered as Result;
  return (returns === 'row' ? (numbered[0] ?? null) : numbered[0]?.['value']) as Result;
}
