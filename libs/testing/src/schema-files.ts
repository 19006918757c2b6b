// SPDX-License-Identifier: Apache-2.0
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, OWNER_ROLE, type SchemaName } from '@writ/database';

/** What tables need before they exist: functions of their defaults, policies and indexes. */
const FOUNDATION = join('functions', 'foundation');

/** The SQL files of a schema, by their paths below its folder, in the order in which they are applied. */
export async function schemaFiles(dir: string): Promise<readonly string[]> {
  const all = (await readdir(dir, { recursive: true })).filter((path) => path.endsWith('.sql')).sort();
  const within = (folder: string): string[] => all.filter((path) => path.startsWith(join(folder, '/')));
  const foundation = within(FOUNDATION);
  const functions = within('functions').filter((path) => !foundation.includes(path));
  const ordered = [...foundation, ...within('tables'), ...functions, ...all.filter((path) => path === 'triggers.sql')];
  const unknown = all.filter((path) => !ordered.includes(path));
  if (unknown.length > 0) throw new Error(`\`${unknown.join('`, `')}\` lie in no folder that is applied`);
  return ordered;
}

/** Makes a schema of its files, in one transaction, as its owner. It MUST be empty. */
export async function makeOfFiles(url: string, schema: SchemaName, dir: string): Promise<void> {
  const client = await connect(url, 'writ-test');
  try {
    // Functions name others that come later: each is checked when it is called.
    await client.query(`BEGIN; SET LOCAL ROLE ${OWNER_ROLE}; SET LOCAL search_path = ${schema}; SET LOCAL check_function_bodies = off`);
    for (const path of await schemaFiles(dir)) {
      const sql = await readFile(join(dir, path), 'utf8');
      await client.query(sql).catch((cause: unknown) => {
        throw new Error(`\`${join(dir, path)}\` could not be applied: ${String(cause)}`, { cause });
      });
    }
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}
