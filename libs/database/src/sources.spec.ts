// SPDX-License-Identifier: Apache-2.0
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findMigrations, migrationsIn } from './sources.ts';

describe('the migrations of a repository', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'repository-'));
    for (const project of ['apps/kernel', 'apps/cli', 'libs/blobs-pg']) await mkdir(join(root, project), { recursive: true });
  });
  afterEach(() => rm(root, { recursive: true }));

  it('are found by their projects and sorted by schema', async () => {
    for (const project of ['apps/kernel', 'libs/blobs-pg']) await mkdir(join(root, project, 'prisma', 'migrations'), { recursive: true });
    expect(await findMigrations(root)).toEqual([
      { schema: 'blobs', dir: join(root, 'libs/blobs-pg/prisma/migrations') }, { schema: 'kernel', dir: join(root, 'apps/kernel/prisma/migrations') },
    ]);
  });

  it('belong to a schema that is provisioned', async () => {
    await mkdir(join(root, 'apps', 'cli', 'prisma', 'migrations'), { recursive: true });
    await expect(findMigrations(root)).rejects.toThrow('`apps/cli` has migrations, but there is no schema `cli`');
  });
});

describe('migrations that lie by schema', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'migrations-'));
    for (const schema of ['kernel', 'blobs', 'ledger', 'orchestrator']) await mkdir(join(folder, schema, '0001_first'), { recursive: true });
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('are found and sorted by schema', async () => {
    expect(await migrationsIn(folder)).toEqual(['blobs', 'kernel', 'ledger', 'orchestrator'].map((schema) => ({ schema, dir: join(folder, schema) })));
  });

  it('are of every schema, and of no other', async () => {
    await rm(join(folder, 'ledger'), { recursive: true });
    await expect(migrationsIn(folder)).rejects.toThrow('has no migrations of `ledger`');
    for (const schema of ['ledger', 'cli']) await mkdir(join(folder, schema));
    await expect(migrationsIn(folder)).rejects.toThrow('has migrations, but there is no schema `cli`');
  });
});
