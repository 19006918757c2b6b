// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isSchemaName, SCHEMA_USERS, type SchemaName } from './roles.ts';

const SCHEMAS = Object.keys(SCHEMA_USERS);

/** The folder of a schema's files: see `SchemaFiles`. */
export interface SchemaSource {
  readonly schema: SchemaName;
  readonly dir: string;
}

/**
 * The schemas of a repository: `{apps,libs}/<project>/sql`. The project's name, without a trailing `-pg` and with
 * underscores for hyphens, is the schema's. Sorted by schema.
 *
 * @throws Error for a project with such a folder but no schema of that name
 */
export async function findSchemas(root: string): Promise<SchemaSource[]> {
  const found: SchemaSource[] = [];
  for (const parent of ['apps', 'libs']) {
    for (const project of await readdir(join(root, parent))) {
      const dir = join(root, parent, project, 'sql');
      if (!existsSync(dir)) continue;
      const schema = project.replace(/-pg$/, '').replaceAll('-', '_');
      if (!isSchemaName(schema))
        throw new Error(`\`${parent}/${project}\` has SQL of a schema, but there is no schema \`${schema}\``);
      found.push({ schema, dir });
    }
  }
  return found.sort((a, b) => (a.schema < b.schema ? -1 : 1));
}

/**
 * The schemas in folders by name, as in the image: `<folder>/<schema>/`. Sorted by schema.
 *
 * @throws Error for a folder without a schema of its name, and if a schema has no folder: a database without a schema
 * would pass for one that is up to date
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
