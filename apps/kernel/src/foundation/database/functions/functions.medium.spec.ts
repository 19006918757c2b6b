// SPDX-License-Identifier: Apache-2.0
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SQL_ERRORS } from '@writ/database';
import { functionCatalog, testDatabase, uncalledFunctions, wrongRows } from '@writ/testing';
import { kernelSql } from './index.ts';

const SQL = join(import.meta.dirname, '../../../../sql');
const table = Object.values(kernelSql);
let catalog: Awaited<ReturnType<typeof functionCatalog>>;

beforeAll(async () => {
  const database = await testDatabase();
  catalog = await functionCatalog(database.ownerUrl, 'kernel');
  await database.drop();
}, 120_000);

describe('the table of the functions of the schema kernel', () => {
  it('has the names, parameters, replies and errors that the database has', () => {
    expect(table.length).toBeGreaterThan(50);
    expect(wrongRows(table, catalog)).toEqual([]);
  });

  it('has every function that the kernel may call and the schema does not call itself, but for those of larger statements', () => {
    // refresh_statistics: `refreshStatistics` of libs/database calls it for whichever schema a process has. Kernels of
    // the version before call the others.
    expect(uncalledFunctions(table, catalog, ['writ_kernel', 'writ_kernel_worker'])).toEqual([
      'claim_mcp_server',
      'dispatch',
      'facts',
      'limits_since',
      'refresh_statistics',
      'replace_image',
      'waiting_in_replaced_images',
    ]);
  });
});

describe('the errors of the schema kernel', () => {
  it('are in its README as in the table of errors', async () => {
    const readme = (await readFile(join(SQL, 'README.md'), 'utf8')).matchAll(/^- `(WR\d+)`: (.*)$/gm);
    // Errors of information stores are in the README of their own schema.
    const ours = Object.entries(SQL_ERRORS)
      .filter(([name, { state }]) => state.startsWith('WR') && !name.startsWith('info_store_'))
      .map(([, error]) => error);
    expect([...readme].map(([, state, meaning]) => ({ state, meaning }))).toEqual(ours);
  });

  it('that a comment or a body names are in the table of errors', async () => {
    const files = (await readdir(SQL, { recursive: true })).filter((path) => path.endsWith('.sql'));
    const texts = await Promise.all(files.map((path) => readFile(join(SQL, path), 'utf8')));
    const states = new Set<string>(Object.values(SQL_ERRORS).map(({ state }) => state));
    expect(texts.flatMap((text) => text.match(/\bWR\d{3}\b/g) ?? []).filter((state) => !states.has(state))).toEqual([]);
  });
});
