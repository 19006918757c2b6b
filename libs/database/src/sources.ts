// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isSchemaName, type SchemaName } from './roles.ts';

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
