// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isSchemaName, SCHEMA_USERS, type SchemaName } from './roles.ts';

const SCHEMAS = Object.keys(SCHEMA_USERS);

/** Where the files of a schema lie: see `SchemaFiles`. */
export interface SchemaSource {
  readonly schema: SchemaName;
  readonly dir: string;
}

/**
 * The schemas below a repository's root: `{apps,libs}/<project>/sql`. The project's name, without a trailing `-pg`, is
 * the schema's. Sorted by schema.
 *
 * @throws Error on a project that has such a folder and no schema of that name
 */
export async function findSchemas(root: string): Promise<SchemaSource[]> {
  const found: SchemaSource[] = [];
  for (const parent of ['apps', 'libs']) {
    for (const project of await readdir(join(root, parent))) {
      const dir = join(root, parent, project, 'sql');
      if (!existsSync(dir)) continue;
      const schema = project.replace(/-pg$/, '');
      if (!isSchemaName(schema))
        throw new Error(`\`${parent}/${project}\` has SQL of a schema, but there is no schema \`${schema}\``);
      found.push({ schema, dir });
    }
  }
  return found.sort((a, b) => (a.schema < b.schema ? -1 : 1));
}

/**
 * The schemas where they lie by name, as in the image: `<folder>/<schema>/`. Sorted by schema.
 *
 * @throws Error on a folder that is no schema's, and where a schema has none: a database that lacks a schema would be
 *   taken for one that is up to date
 */
export async function schemasIn(folder: string): Promise<SchemaSource[]> {
  const names = (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  const missing = SCHEMAS.filter((schema) => !names.includes(schema));
  if (missing.length > 0)
    throw new Error(`\`${folder}\` has no SQL of ${missing.map((schema) => `\`${schema}\``).join(', ')}`);
  return names.sort().map((schema) => {
    if (!isSchemaName(schema))
      throw new Error(`\`${join(folder, schema)}\` has SQL of a schema, but there is no schema \`${schema}\``);
    return { schema, dir: join(folder, schema) };
  });
}
