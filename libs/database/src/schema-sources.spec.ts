// SPDX-License-Identifier: Apache-2.0
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findSchemas, schemasIn } from './schema-sources.ts';

describe('the schemas of a repository', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'repository-'));
    for (const project of ['apps/kernel', 'apps/cli', 'libs/blobs-pg', 'libs/info-store-pg'])
      await mkdir(join(root, project), { recursive: true });
  });
  afterEach(() => rm(root, { recursive: true }));

  it('are found by their projects and sorted by schema', async () => {
    for (const project of ['apps/kernel', 'libs/blobs-pg', 'libs/info-store-pg'])
      await mkdir(join(root, project, 'sql'), { recursive: true });
    expect(await findSchemas(root)).toEqual([
      { schema: 'blobs', dir: join(root, 'libs/blobs-pg/sql') },
      { schema: 'info_store', dir: join(root, 'libs/info-store-pg/sql') },
      { schema: 'kernel', dir: join(root, 'apps/kernel/sql') },
    ]);
  });

  it('belong to a schema that is provisioned', async () => {
    await mkdir(join(root, 'apps', 'cli', 'sql'), { recursive: true });
    await expect(findSchemas(root)).rejects.toThrow('`apps/cli` has SQL of a schema, but there is no schema `cli`');
  });
});

describe('schemas in folders by name', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'schemas-'));
    for (const schema of ['kernel', 'audio', 'blobs', 'info_store', 'ledger', 'orchestrator'])
      await mkdir(join(folder, schema, 'tables'), { recursive: true });
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('are found and sorted by schema', async () => {
    expect(await schemasIn(folder)).toEqual(
      ['audio', 'blobs', 'info_store', 'kernel', 'ledger', 'orchestrator'].map((schema) => ({
        schema,
        dir: join(folder, schema),
      })),
    );
  });

  it('have a folder for each schema, and no other', async () => {
    await rm(join(folder, 'ledger'), { recursive: true });
    await expect(schemasIn(folder)).rejects.toThrow('has no SQL of `ledger`');
    for (const schema of ['ledger', 'cli']) await mkdir(join(folder, schema));
    await expect(schemasIn(folder)).rejects.toThrow('has SQL of a schema, but there is no schema `cli`');
  });
});
