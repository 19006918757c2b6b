// SPDX-License-Identifier: Apache-2.0
import { createHash, randomUUID } from 'node:crypto';
import { createPool, type Pool } from '@writ/database';
import type { TenantId } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { testDatabase, type TestDatabase } from '@writ/testing';
import type { NewKey } from '../ports/api-keys.ts';
import { PrismaApiKeys } from './prisma-api-keys.ts';

let database: TestDatabase;
let pool: Pool;
let keys: PrismaApiKeys;
let tenant: TenantId;

beforeAll(async () => {
  database = await testDatabase();
  pool = createPool({ url: database.urlFor('writ_orchestrator'), applicationName: 'test' });
  keys = new PrismaApiKeys(pool);
});
afterAll(async () => {
  await keys.close();
  await pool.end();
  await database.drop();
});
beforeEach(() => { tenant = newId('tenant') as TenantId; });

const newKey = (over: Partial<NewKey> = {}): NewKey =>
  ({ api_key_id: newId('apiKey'), name: 'a key', role: 'admin', agent_id: null, hash: createHash('sha256').update(randomUUID()).digest(), created_by: 'platform', ...over });

it('a revoked key gets nobody in, and stays revoked as it was', async () => {
  const [first, second] = [newKey(), newKey()];
  for (const key of [first, second]) await keys.create(tenant, key);
  expect(await keys.authenticate(second.hash)).toMatchObject({ api_key_id: second.api_key_id, tenant_id: tenant, role: 'admin' });
  const revoked = await keys.revoke(tenant, second.api_key_id);
  expect(revoked?.revoked_at).toBeGreaterThan(0);
  expect(await keys.authenticate(second.hash)).toBeNull();
  expect(await keys.revoke(tenant, second.api_key_id)).toEqual(revoked);
});

it('the last valid key of an administrator can\'t be revoked, by two at once neither', async () => {
  const both = [newKey(), newKey()];
  for (const key of both) await keys.create(tenant, key);
  const ends = await Promise.allSettled(both.map(({ api_key_id }) => keys.revoke(tenant, api_key_id)));
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(ends.find((end) => end.status === 'rejected')?.reason).toMatchObject({ code: 'conflict' });
});

it('another tenant\'s key is neither shown nor revoked', async () => {
  const key = newKey();
  await keys.create(tenant, key);
  const stranger = newId('tenant') as TenantId;
  expect(await keys.read(stranger, key.api_key_id)).toBeNull();
  expect(await keys.revoke(stranger, key.api_key_id)).toBeNull();
  expect(await keys.authenticate(key.hash)).not.toBeNull();
});
