// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { inTenant } from '@writ/database';
import { newId } from '@writ/nest-kit';
import { testStore, type TestStore } from '../../specs/test-store.ts';
import { PgIdentities } from '../identities/pg-identities.ts';
import { newKey } from '../keys/api-keys.contract.ts';
import { PrismaApiKeys } from '../keys/prisma-api-keys.ts';
import { registration } from '../sign-ins/sign-ins.contract.ts';
import { membersContract } from './members.contract.ts';
import type { VouchedMember } from './members.ts';
import { PgMembers } from './pg-members.ts';

let store: TestStore;
let keys: PrismaApiKeys;
let identities: PgIdentities;
let members: PgMembers;
beforeAll(async () => {
  store = await testStore();
  keys = new PrismaApiKeys(store.pool);
  identities = new PgIdentities(store.pool);
  members = new PgMembers(store.pool);
}, 120_000);
afterAll(async () => {
  await keys.close();
  await store.drop();
});

describe('in Postgres', () => membersContract(() => ({ members, keys, identities })));

const nothing = async (): Promise<void> => undefined;
async function newPerson() {
  const tenant = newId('tenant');
  await keys.create(tenant, newKey());
  const { provider_id } = await identities.put(tenant, registration(), 20);
  const person_id = await identities.personOf(tenant, randomBytes(32), newId('person'));
  const ann: VouchedMember = {
    ...{ member_id: newId('member'), subject_hash: randomBytes(32), provider_id, person_id },
    ...{ principal: 'ann', sealed: 'sealed' },
  };
  return { tenant, provider_id, ann };
}

it('no key of a person is missed, whether it is made before, while or after the person becomes a suspended member', async () => {
  for (let round = 0; round < 40; round++) {
    const { tenant, ann } = await newPerson();
    const hash = randomBytes(32);
    const makeKey = keys.create(tenant, newKey({ hash, principal: 'ann', person_id: ann.person_id })).catch(() => null);
    const join = members.vouch(tenant, ann).then(async (member) => {
      const change = { state: 'suspended', by: 'key_x' } as const;
      await members.change(tenant, member?.member_id ?? '', change, nothing);
    });
    await Promise.all([makeKey, join]);
    expect(await keys.authenticate(hash)).toBeNull();
  }
});

it('processes of the version before refuse keys of a suspended member, too', async () => {
  const { tenant, ann, provider_id } = await newPerson();
  const [hash, subject_hash] = [randomBytes(32), ann.subject_hash];
  const member = await members.vouch(tenant, ann);
  const member_id = member?.member_id ?? null;
  const key = newKey({ hash, principal: 'ann', created_by: provider_id, member_id });
  await identities.createCredential(tenant, key, { provider_id, subject_hash });
  const found = async () =>
    await Promise.all(
      ['authenticate', 'authenticate_key', 'authenticate_caller'].map(
        async (name) => (await store.pool.query(`SELECT * FROM orchestrator.${name}($1)`, [hash])).rowCount,
      ),
    );
  expect(await found()).toEqual([1, 1, 1]);
  await members.change(tenant, String(member_id), { state: 'suspended', by: 'key_x' }, nothing);
  expect(await found()).toEqual([0, 0, 0]);
  const late = newKey({ hash: randomBytes(32), principal: 'ann', created_by: provider_id, member_id });
  await expect(identities.createCredential(tenant, late, { provider_id, subject_hash })).rejects.toMatchObject({
    code: 'conflict',
  });
});

it('a forgotten person is no member any more, and nothing tells which one it was', async () => {
  const { tenant, ann } = await newPerson();
  const member = await members.vouch(tenant, ann);
  const key = await keys.create(tenant, newKey({ principal: 'ann', person_id: ann.person_id }));
  await identities.forgetPerson(tenant, ann.person_id);
  expect(await members.read(tenant, String(member?.member_id))).toBeNull();
  expect(await members.ofSubject(tenant, ann.subject_hash)).toBeNull();
  expect(await keys.read(tenant, key.api_key_id)).toMatchObject({ member_id: null });
  const left = await inTenant(store.pool, tenant, (client) =>
    client.query('SELECT * FROM orchestrator.member_identity'),
  );
  expect(left.rows).toEqual([]);
});

it('what an orchestrator of the version before makes for a suspended person is refused by the database', async () => {
  const { tenant, provider_id, ann } = await newPerson();
  await keys.create(tenant, newKey({ principal: 'ann', person_id: ann.person_id }));
  const { member_id = '' } = (await members.vouch(tenant, ann)) ?? {};
  await members.change(tenant, member_id, { state: 'suspended', by: 'key_x' }, nothing);
  // That version names no member.
  const insert = async (principal: string, hash: Buffer): Promise<string> => {
    const id = newId('apiKey');
    await inTenant(store.pool, tenant, (client) =>
      client.query(
        `INSERT INTO orchestrator.api_key (api_key_id, tenant_id, name, role, principal, key_hash, created_by)
         VALUES ($1, $2, 'x', 'operator', $3, $4, 'key_x')`,
        [id, tenant, principal, hash],
      ),
    );
    return id;
  };
  const [key, credential, other] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  await insert('ann', key);
  await insert('bob', other);
  const id = await insert('a name that no key of the member has', credential);
  await inTenant(store.pool, tenant, (client) =>
    client.query(
      'INSERT INTO orchestrator.credential (api_key_id, tenant_id, provider_id, subject_hash) VALUES ($1, $2, $3, $4)',
      [id, tenant, provider_id, ann.subject_hash],
    ),
  );
  expect(await keys.authenticate(key)).toBeNull();
  expect(await keys.authenticate(credential)).toBeNull();
  expect(await keys.authenticate(other)).not.toBeNull();
});

it("an orchestrator of the version before can't give a member the name of another one", async () => {
  const { tenant, ann } = await newPerson();
  await members.vouch(tenant, ann);
  await members.vouch(tenant, { ...ann, person_id: newId('person'), principal: 'ann.smith' });
  const write = inTenant(store.pool, tenant, (client) =>
    client.query(
      `INSERT INTO orchestrator.member (member_id, tenant_id, kind, person_id, created_by, changed_by)
       VALUES ($1, $2, 'person', $3, 'key_x', 'key_x')`,
      [newId('member'), tenant, ann.person_id],
    ),
  );
  await expect(write).rejects.toMatchObject({ code: '23505' });
});

it('a former name of a suspended member is not forgotten, and one of an active member is', async () => {
  const { tenant, ann } = await newPerson();
  await members.vouch(tenant, ann);
  const renamed = { ...ann, person_id: newId('person'), principal: 'ann.smith' };
  const { member_id = '' } = (await members.vouch(tenant, renamed)) ?? {};
  await members.change(tenant, member_id, { state: 'suspended', by: 'key_x' }, nothing);
  await expect(identities.forgetPerson(tenant, ann.person_id)).rejects.toMatchObject({ code: 'conflict' });
  await members.change(tenant, member_id, { state: 'active', by: 'key_x' }, nothing);
  await identities.forgetPerson(tenant, ann.person_id);
  expect(await members.read(tenant, member_id)).not.toBeNull();
  const bob = { ...ann, member_id: newId('member'), subject_hash: randomBytes(32) };
  expect(await members.vouch(tenant, bob)).toMatchObject({ member_id: bob.member_id });
});
