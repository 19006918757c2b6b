// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from '@writ/database';
import { testDatabase } from '@writ/testing';

/**
 * A column as both sides have it: `name: type`, with `?` where it may be null, `=` where it has a default, `key` where
 * it identifies.
 */
type Tables = Record<string, string[]>;

const TYPES: Record<string, string> = {
  text: 'String',
  int8: 'BigInt',
  int4: 'Int',
  bool: 'Boolean',
  bytea: 'Bytes',
  jsonb: 'Json',
  numeric: 'Decimal',
  _text: 'String[]',
  _int8: 'BigInt[]',
  _bytea: 'Bytes[]',
};

const column = (name: string, type: string, nullable: boolean, hasDefault: boolean, isKey: boolean): string =>
  `${name}: ${type}${nullable ? '?' : ''}${hasDefault ? ' =' : ''}${isKey ? ' key' : ''}`;

/** The tables of schema.prisma: a line for each field, no relations, no renames. */
function declared(schema: string): Tables {
  return Object.fromEntries(
    [...schema.matchAll(/^model (\w+) \{\n([\s\S]+?)^\}/gm)].map(([, table = '', body = '']) => {
      const keys = new Set(/@@id\(\[([^\]]+)\]\)/.exec(body)?.[1]?.split(', ') ?? []);
      const fields = [...body.matchAll(/^ {2}(\w+) +([A-Z]\w+(?:\[\])?)(\?)?(.*)$/gm)];
      return [
        table,
        fields
          .map(([, name = '', type = '', optional, rest = '']) =>
            column(
              name,
              type,
              optional !== undefined,
              rest.includes('@default('),
              rest.includes('@id') || keys.has(name),
            ),
          )
          .sort(),
      ];
    }),
  );
}

/** The tables that the migrations made. */
async function migrated(ownerUrl: string): Promise<Tables> {
  const client = await connect(ownerUrl, 'writ-kernel-spec');
  try {
    const { rows } = await client.query<{
      table: string;
      name: string;
      type: string;
      nullable: boolean;
      fallback: boolean;
      key: boolean;
    }>(`
      SELECT c.relname AS table, a.attname AS name, t.typname AS type, NOT a.attnotnull AS nullable, a.atthasdef AS fallback,
        coalesce(a.attnum = ANY (i.indkey), false) AS key
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped JOIN pg_type t ON t.oid = a.atttypid
      LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
      WHERE c.relnamespace = 'kernel'::regnamespace AND c.relkind = 'r' AND c.relname NOT LIKE 'applied\\_%'`);
    const tables: Tables = {};
    for (const { table, name, type, nullable, fallback, key } of rows)
      (tables[table] ??= []).push(column(name, TYPES[type] ?? type, nullable, fallback, key));
    for (const columns of Object.values(tables)) columns.sort();
    return tables;
  } finally {
    await client.end();
  }
}

test('schema.prisma describes every table as its SQL creates it', async () => {
  const schema = await readFile(join(import.meta.dirname, '../../../prisma/schema.prisma'), 'utf8');
  const database = await testDatabase();
  try {
    const tables = await migrated(database.ownerUrl);
    expect(Object.keys(tables)).toHaveLength(55);
    expect(declared(schema)).toEqual(tables);
  } finally {
    await database.drop();
  }
}, 120_000);
