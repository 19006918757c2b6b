// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';

/** A file of a schema's SQL. */
export interface SqlFile {
  /** Below the schema's folder. */
  readonly path: string;
  /** Of a function, its own name; of a migration, the name under which it is recorded. */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the text, hex. */
  readonly checksum: string;
}

/**
 * The files of a schema, in its folder `sql`:
 * `functions/foundation/` functions that tables need before they exist (in their defaults, policies and indexes),
 * `tables/` in the order of their names, `functions/` one file each, `triggers.sql`,
 * and `migrations/`, which bring a database of an earlier release up to date, in the order of their names.
 */
export interface SchemaFiles {
  readonly foundation: readonly SqlFile[];
  readonly tables: readonly SqlFile[];
  readonly functions: readonly SqlFile[];
  readonly triggers: readonly SqlFile[];
  readonly migrations: readonly SqlFile[];
}

const FOUNDATION = join('functions', 'foundation') + sep;
const PARTS: readonly (readonly [part: keyof SchemaFiles, holds: (path: string) => boolean])[] = [
  ['foundation', (path) => path.startsWith(FOUNDATION)],
  ['functions', (path) => path.startsWith(`functions${sep}`)],
  ['tables', (path) => path.startsWith(`tables${sep}`)],
  ['migrations', (path) => path.startsWith(`migrations${sep}`)],
  ['triggers', (path) => path === 'triggers.sql'],
];

/** @throws Error for a file outside of these folders, and for two functions of one name */
export async function readSchemaFiles(dir: string): Promise<SchemaFiles> {
  const files: Record<keyof SchemaFiles, SqlFile[]> = {
    foundation: [],
    tables: [],
    functions: [],
    triggers: [],
    migrations: [],
  };
  const paths = (await readdir(dir, { recursive: true })).filter((path) => path.endsWith('.sql'));
  for (const path of paths.sort()) {
    const part = PARTS.find(([, holds]) => holds(path));
    if (part === undefined) throw new Error(`\`${join(dir, path)}\` is in no folder that is applied`);
    const sql = await readFile(join(dir, path), 'utf8');
    files[part[0]].push({
      path,
      name: basename(path, '.sql'),
      sql,
      checksum: createHash('sha256').update(sql).digest('hex'),
    });
  }
  const names = [...files.foundation, ...files.functions].map(({ name }) => name);
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined)
    throw new Error(
      `\`${dir}\` has two functions called \`${duplicate}\`: a function with another signature takes another name`,
    );
  return files;
}
