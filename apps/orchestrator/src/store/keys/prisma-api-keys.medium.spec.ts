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
    ['fewer limits for a key', "UPDATE orchestrator.api_key SET scopes = '{}'", /permission denied/],
    ['another token for a credential', 'UPDATE orchestrator.api_key SET bound_token = NULL', /permission denied/],
    [
      'another tenant for a former secret',
      "UPDATE orchestrator.former_secret SET tenant_id = 'x'",
      /permission denied/,
    ],
    ['the end of a key', 'DELETE FROM orchestrator.api_key', /permission denied/],
    ['a look at the kernel', 'SELECT 1 FROM kernel.operation', /permission denied/],
  ])('refuses this process %s', async (_what, sql, words) => {
    await expect(inTenant(store.pool, newId('tenant'), (client) => client.query(sql))).rejects.toThrow(words);
  });

  it('notes uses without waiting for a key that is being revoked or rotated', async () => {
    const [tenant, other] = [newId('tenant'), newId('tenant')];
    const held = await keys.create(tenant, newKey());
    const free = await keys.create(other, newKey());
    const used = async (of: typeof tenant, id: string) => (await keys.read(of, id))?.last_used_at;
    // The kernel answers only after the uses were noted.
    await keys.rotate(tenant, held.api_key_id, { hash: randomBytes(32), overlap_ms: 60_000 }, async () => {
      await keys.recordUse([held.api_key_id, free.api_key_id]);
    });
    expect(await used(other, free.api_key_id)).toEqual(expect.any(Number));
    expect(await used(tenant, held.api_key_id)).toBeNull();
    await keys.recordUse([held.api_key_id]);
    expect(await used(tenant, held.api_key_id)).toEqual(expect.any(Number));
  });

  it('shows the versions before no key that they can not limit, and none that has ended', async () => {
    const [tenant, agent_id] = [newId('tenant'), newId('agent')];
    const plain = randomBytes(32);
    await keys.create(tenant, newKey({ hash: plain, expires_at: Date.now() + 60_000 }));
    const limited: Partial<Parameters<typeof newKey>[0]>[] = [
      { scopes: ['operations:read'] },
      { expires_at: Date.now() - 1 },
      { role: 'agent', agent_id, scopes: ['x:read'], bound_token: newId('token'), expires_at: Date.now() + 60_000 },
    ];
    for (const name of ['authenticate', 'authenticate_key']) {
      const find = async (hash: Buffer) =>
        (await store.pool.query(`SELECT tenant_id FROM orchestrator.${name}($1)`, [hash])).rows;
      expect(await find(plain)).toEqual([{ tenant_id: tenant }]);
      for (const over of limited) {
        const hash = randomBytes(32);
        await keys.create(tenant, newKey({ ...over, hash }));
        expect(await find(hash)).toEqual([]);
      }
    }
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
