// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';

/** A piece of a schema's SQL. */
export interface SqlFile {
  /** Below the schema's folder. */
  readonly path: string;
  /** Of a function, its own name; of a migration, the name under which it is applied. */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the text, hex. */
  readonly checksum: string;
}

/**
 * A schema as it is today, in its folder `sql`:
 * `functions/foundation/` what tables need before they exist (their defaults, policies and indexes),
 * `tables/` in the order of their names, `functions/` one file each, `triggers.sql`,
 * and `migrations/` what brings a database of an earlier release to these tables, in the order of their names.
 */
export interface SchemaFiles {
  readonly foundation: readonly SqlFile[];
  readonly tables: readonly SqlFile[];
  readonly functions: readonly SqlFile[];
  readonly triggers: readonly SqlFile[];
  readonly migrations: readonly SqlFile[];
}

const FOUNDATION = join('functions', 'foundation') + sep;
const PLACES: readonly (readonly [part: keyof SchemaFiles, holds: (path: string) => boolean])[] = [
  ['foundation', (path) => path.startsWith(FOUNDATION)],
  ['functions', (path) => path.startsWith(`functions${sep}`)],
  ['tables', (path) => path.startsWith(`tables${sep}`)],
  ['migrations', (path) => path.startsWith(`migrations${sep}`)],
  ['triggers', (path) => path === 'triggers.sql'],
];

/** @throws Error on a file that lies where nothing is applied, and on two functions of one name */
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
    const place = PLACES.find(([, holds]) => holds(path));
    if (place === undefined) throw new Error(`\`${join(dir, path)}\` lies in no folder that is applied`);
    const sql = await readFile(join(dir, path), 'utf8');
    files[place[0]].push({
      path,
      name: basename(path, '.sql'),
      sql,
      checksum: createHash('sha256').update(sql).digest('hex'),
    });
  }
  const names = [...files.foundation, ...files.functions].map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new Error(
      `\`${dir}\` has two functions called \`${twice}\`: a function with another signature takes another name`,
    );
  return files;
}
