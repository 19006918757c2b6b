// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inTenant } from '@writ/database';
import { newId } from '@writ/nest-kit';
import { apiKeysContract, newKey } from './api-keys.contract.ts';
import { testStore, type TestStore } from '../../specs/test-store.ts';
import { PrismaApiKeys } from './prisma-api-keys.ts';

let store: TestStore;
let keys: PrismaApiKeys;

beforeAll(async () => {
  store = await testStore();
  keys = new PrismaApiKeys(store.pool);
}, 120_000);
afterAll(async () => {
  await keys.close();
  await store.drop();
});

apiKeysContract('Postgres', () => keys);

describe('the database', () => {
  it('shows this process no key without a tenant, and only the keys of the set tenant', async () => {
    const [mine, theirs] = [newId('tenant'), newId('tenant')];
    for (const tenant of [mine, theirs]) await keys.create(tenant, newKey());
    expect((await store.pool.query('SELECT 1 FROM orchestrator.api_key')).rowCount).toBe(0);
    const { rows } = await inTenant(store.pool, mine, (client) =>
      client.query<{ tenant_id: string }>('SELECT tenant_id FROM orchestrator.api_key'),
    );
    expect(rows).toEqual([{ tenant_id: mine }]);
  });

  it('shows only the row of a hash to the lookup by hash, and nothing afterwards', async () => {
    const hash = randomBytes(32);
    await keys.create(newId('tenant'), newKey({ hash }));
    const leaked = await inTenant(store.pool, newId('tenant'), async (client) => {
      await client.query('SELECT * FROM orchestrator.authenticate($1)', [hash]);
      await client.query("SELECT set_config('writ.key_hash', encode($1, 'hex'), true)", [hash]);
      return client.query('SELECT 1 FROM orchestrator.api_key');
    });
    expect(leaked.rowCount).toBe(0);
  });

  it.each([
    [
      'a key of another tenant',
      "INSERT INTO orchestrator.api_key (api_key_id, tenant_id, name, role, key_hash, created_by) VALUES ('key_x', 'ten_other', 'x', 'admin', sha256('x'), 'me')",
      /row-level security/,
    ],
    ['more rights for a key', "UPDATE orchestrator.api_key SET role = 'admin'", /permission denied/],
    ['another hash for a key', "UPDATE orchestrator.api_key SET key_hash = sha256('x')", /permission denied/],
    ['the end of a key', 'DELETE FROM orchestrator.api_key', /permission denied/],
    ['a look at the kernel', 'SELECT 1 FROM kernel.operation', /permission denied/],
  ])('refuses this process %s', async (_what, sql, words) => {
    await expect(inTenant(store.pool, newId('tenant'), (client) => client.query(sql))).rejects.toThrow(words);
  });

  it('gives a key of role agent its agent, and no other key one', async () => {
    await expect(keys.create(newId('tenant'), newKey({ role: 'agent' }))).rejects.toThrow();
    await expect(keys.create(newId('tenant'), newKey({ role: 'admin', agent_id: newId('agent') }))).rejects.toThrow();
  });

  it('has the tables and columns that schema.prisma says', async () => {
    const schema = await readFile(join(import.meta.dirname, '../../../prisma/schema.prisma'), 'utf8');
    const types: Record<string, string> = {
      String: 'text',
      BigInt: 'bigint',
      Bytes: 'bytea',
      Json: 'jsonb',
      Int: 'integer',
      Boolean: 'boolean',
      'String[]': 'ARRAY',
    };
    const declared = [...schema.matchAll(/^model \w+ \{\n([\s\S]+?)^\}/gm)].flatMap(([, body = '']) => {
      const table = /@@map\("(\w+)"\)/.exec(body)?.[1] ?? '';
      return [...body.matchAll(/^ {2}(\w+) +(\w+(?:\[\])?)(\?)?(.*)$/gm)]
        .filter(([, , type = '']) => type in types)
        .map(
          ([, field = '', type = '', optional, rest = '']) =>
            `${table} ${/@map\("(\w+)"\)/.exec(rest)?.[1] ?? field} ${types[type] ?? ''} ${optional === undefined ? 'NO' : 'YES'}`,
        );
    });
    const { rows } = await store.admin.query<{
      line: string;
    }>(`SELECT table_name || ' ' || column_name || ' ' || data_type || ' ' || is_nullable AS line FROM information_schema.columns
      WHERE table_schema = 'orchestrator' AND table_name NOT LIKE 'applied\\_%'`);
    expect(rows.length).toBeGreaterThan(30);
    expect(declared.sort()).toEqual(rows.map(({ line }) => line).sort());
  });
});
