// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isSchemaName, SCHEMA_USERS, type SchemaName } from './roles.ts';

/** Every schema has migrations. */
const MIGRATED_SCHEMAS = Object.keys(SCHEMA_USERS);

export interface MigrationSource { readonly schema: SchemaName; readonly dir: string }

/**
 * The folders of migrations below a repository's root: `{apps,libs}/<project>/prisma/migrations`. The project's name, without a trailing
 * `-pg`, is the schema's. Throws on a project that has migrations and no schema of that name. Sorted by schema.
 */
export async function findMigrations(root: string): Promise<MigrationSource[]> {
  const found: MigrationSource[] = [];
  for (const parent of ['apps', 'libs']) {
    for (const project of await readdir(join(root, parent))) {
      const dir = join(root, parent, project, 'prisma', 'migrations');
      if (!existsSync(dir)) continue;
      const schema = project.replace(/-pg$/, '');
      if (!isSchemaName(schema)) throw new Error(`\`${parent}/${project}\` has migrations, but there is no schema \`${schema}\``);
      found.push({ schema, dir });
    }
  }
  return found.sort((a, b) => (a.schema < b.schema ? -1 : 1));
}

/**
 * The folders of migrations where they lie by schema, as in the image: `<folder>/<schema>/<migration>/migration.sql`. Throws on a folder that is
 * no schema's and where a schema has none: a database that lacks a schema would be taken for one that is up to date. Sorted by schema.
 */
export async function migrationsIn(folder: string): Promise<MigrationSource[]> {
  const names = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const missing = MIGRATED_SCHEMAS.filter((schema) => !names.includes(schema));
  if (missing.length > 0) throw new Error(`\`${folder}\` has no migrations of ${missing.map((schema) => `\`${schema}\``).join(', ')}`);
  return names.sort().map((schema) => {
    if (!isSchemaName(schema)) throw new Error(`\`${join(folder, schema)}\` has migrations, but there is no schema \`${schema}\``);
    return { schema, dir: join(folder, schema) };
  });
}
