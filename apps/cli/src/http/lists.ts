// SPDX-License-Identifier: Apache-2.0
import { InvalidArgumentError } from 'commander';
import { Type, type Static, type TSchema } from 'typebox';
import type { Client } from './client.ts';

/** One page of a list, and the cursor of the next one. */
const pageOf = <S extends TSchema>(item: S) =>
  Type.Object({ items: Type.Array(item), next_cursor: Type.Union([Type.String(), Type.Null()]) });

export interface Listing<T> {
  readonly items: T[];
  readonly next_cursor: string | null;
}

/** Parameters of a query; those without a value are left out. */
export function queryOf(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** Reads one page of a list. */
export async function readList<S extends TSchema>(
  client: Client,
  item: S,
  path: string,
  parameters: Readonly<Record<string, string | number | undefined>> = {},
): Promise<Listing<Static<S>>> {
  return (await client.read(pageOf(item), `${path}${queryOf(parameters)}`)) as Listing<Static<S>>;
}

/** Parses an option that is a whole number. @throws InvalidArgumentError, to which the name of the option is added */
export function parseCount(text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new InvalidArgumentError(`\`${text}\` is no whole number`);
  return Number(text);
}
