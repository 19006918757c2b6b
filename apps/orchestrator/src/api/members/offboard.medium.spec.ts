// SPDX-License-Identifier: Apache-2.0
// Offboarding on a real database, beside whatever is being made at the same moment, and with replicas that stop.
import { randomBytes } from 'node:crypto';
import { Fault, type Caller, type TenantId } from '@writ/contract';
import { inTenant } from '@writ/database';
import { newId } from '@writ/nest-kit';
import { RevokeKey } from '../../calls/kernel/revoke-key.ts';
import { testStore, type TestStore } from '../../specs/test-store.ts';
import { PgIdentities } from '../../store/identities/pg-identities.ts';
import { newKey } from '../../store/keys/api-keys.contract.ts';
import { PrismaApiKeys } from '../../store/keys/prisma-api-keys.ts';
import type { VouchedMember } from '../../store/members/members.ts';
import { PgMembers } from '../../store/members/pg-members.ts';
import { PgOffboardings } from '../../store/members/pg-offboardings.ts';
import { registration } from '../../store/sign-ins/sign-ins.contract.ts';
import { PgSignIns } from '../../store/sign-ins/pg-sign-ins.ts';
import { Offboard } from './offboard.ts';

let store: TestStore;
let keys: PrismaApiKeys;
let identities: PgIdentities;
let members: PgMembers;
let offboardings: PgOffboardings;
let signIns: PgSignIns;
beforeAll(async () => {
  store = await testStore();
  keys = new PrismaApiKeys(store.pool);
  identities = new PgIdentities(store.pool);
  members = new PgMembers(store.pool);
  offboardings = new PgOffboardings(store.pool);
  signIns = new PgSignIns(store.pool);
}, 120_000);
afterAll(async () => {
  await keys.close();
  await store.drop();
});

/** A tenant with Ann, who has signed in, and an administrator. */
async function newTenant() {
  const tenant = newId('tenant');
  const admin = await keys.create(tenant, newKey());
  const { provider_id } = await identities.put(tenant, registration(), 20);
  const person_id = await identities.personOf(tenant, randomBytes(32), newId('person'));
  const ann: VouchedMember = {
    ...{ member_id: newId('member'), subject_hash: randomBytes(32), provider_id, person_id },
    ...{ principal: 'ann', sealed: 'sealed' },
  };
  const { member_id = '' } = (await members.vouch(tenant, ann)) ?? {};
  const caller: Caller = { tenant_id: tenant, api_key_id: admin.api_key_id, role: 'admin', agent_id: null };
  return { tenant, provider_id, ann, member_id, caller };
}
const annsKey = (tenant: TenantId, { person_id, principal }: VouchedMember, hash = randomBytes(32)) =>
  keys.create(tenant, newKey({ hash, principal, person_id, role: 'operator' }));

/** A replica. @param stops whether it stops at the request, which the kernel then never gets */
function replica(stops: (verb: string, request: Record<string, unknown>) => boolean = () => false) {
  const asked: string[] = [];
  const names: string[] = [];
  const kernel = {
    ask: async (verb: string, _by: Caller, request: Record<string, unknown>) => {
      if (stops(verb, request)) throw new Fault('bus.unreachable');
      asked.push(verb);
      if (verb === 'person.offboard') names.push(...(request['principals'] as string[]));
      return verb === 'person.offboard' ? { delegations: 1 } : { tokens: [], more_tokens: false };
    },
  };
  const authenticator = { forget: () => undefined, forgetKeys: () => undefined };
  const runs = { keyRevoked: () => undefined };
  const revokeKey = new RevokeKey(kernel as never, { keys, authenticator, runs });
  const parts = { offboardings, revokeKey, authenticator, report: () => undefined };
  return { offboard: new Offboard(kernel as never, parts), asked, names };
}
const openOf = async (tenant: TenantId) =>
  (await offboardings.open(10_000)).filter(({ tenant_id }) => tenant_id === tenant);
/** As if the first transaction was long ago. */
const age = (tenant: TenantId) =>
  store.admin.query('UPDATE orchestrator.offboarding SET begun_at = begun_at - 60000 WHERE tenant_id = $1', [tenant]);

it('all that a member holds ends: keys, sessions, programs that ask, and the subject itself', async () => {
  const { tenant, provider_id, ann, member_id, caller } = await newTenant();
  const [hash, other] = [randomBytes(32), randomBytes(32)];
  const { api_key_id } = await annsKey(tenant, ann, hash);
  await keys.create(tenant, newKey({ hash: other, principal: 'bob', role: 'operator' }));
  const sign_in_id = newId('signIn');
  const { subject_hash, person_id } = ann;
  await signIns.create(
    tenant,
    {
      ...{ sign_in_id, kind: 'browser', client: null, approved_by: null, provider_id, person_id },
      ...{
        subject_hash: Buffer.from(subject_hash),
        credential_id: api_key_id,
        scopes: [],
        groups: [],
        sealed: '',
        secret_hash: randomBytes(32),
      },
      authenticated_ms: null,
    },
    600_000,
  );
  const { offboard, asked } = replica();
  const { member, pass } = await offboard.run(caller, member_id, 'left');
  expect(member).toMatchObject({ state: 'offboarded', changed_by: caller.api_key_id });
  expect(pass).toEqual({ revoked: [api_key_id], paused_jobs: [], delegations: 1, more: false });
  expect(asked).toEqual(['change.record', 'person.offboard', 'api_key.revoke']);
  expect(await keys.authenticate(hash)).toBeNull();
  expect(await keys.authenticate(other)).not.toBeNull();
  expect(await signIns.find(tenant, sign_in_id, 600_000)).toBeNull();
  expect(await signIns.read(tenant, sign_in_id, 'tenant')).toMatchObject({ ended_by: caller.api_key_id });
  expect(await identities.isDenied(tenant, { subject_hash, jti_hash: randomBytes(32) })).toBe(true);
  await expect(annsKey(tenant, ann)).rejects.toMatchObject({ code: 'conflict' });
  // For good: nobody activates it, and a repeated request records nothing.
  const activate = members.change(tenant, member_id, { state: 'active', by: 'key_x' }, async () => undefined);
  await expect(activate).rejects.toMatchObject({ code: 'conflict' });
  asked.length = 0;
  await offboard.run(caller, member_id, 'left');
  expect(asked).toEqual(['person.offboard']);
});

it('whichever step a replica stops at, another one completes it, and nothing is accepted meanwhile', async () => {
  for (const stopped of ['person.offboard', 'api_key.revoke', 'all']) {
    const { tenant, ann, member_id, caller } = await newTenant();
    const hashes = [randomBytes(32), randomBytes(32)];
    for (const hash of hashes) await annsKey(tenant, ann, hash);
    const first = replica((verb) => verb === stopped || (stopped === 'all' && verb !== 'change.record'));
    const { pass } = await first.offboard.run(caller, member_id, 'left');
    expect(pass.more).toBe(true);
    for (const hash of hashes) expect(await keys.authenticate(hash)).toBeNull();
    const second = replica();
    await age(tenant);
    await second.offboard.sweep();
    expect(second.asked).toContain('person.offboard');
    expect(await offboardings.keysOf(tenant, member_id, 10)).toEqual([]);
    expect(await openOf(tenant)).toEqual([]);
  }
});

it('each of more than a hundred names of one person reaches the kernel', async () => {
  const { tenant, member_id, caller } = await newTenant();
  await store.admin.query(
    `INSERT INTO orchestrator.api_key
       (api_key_id, tenant_id, name, role, principal, key_hash, created_by, member_id, revoked_at)
     SELECT 'key_' || $1 || n, $1, 'x', 'operator', 'ann-' || n, sha256(($1 || n)::bytea), 'key_x', $2, 1
     FROM generate_series(1, 130) AS n`,
    [tenant, member_id],
  );
  const { offboard, names } = replica();
  await offboard.run(caller, member_id, 'left');
  expect(new Set(names).size).toBe(130);
});

it('a key that fails keeps no other one from its end, and the next pass ends it', async () => {
  const { tenant, ann, member_id, caller } = await newTenant();
  const made: string[] = [];
  for (let at = 0; at < 5; at++) made.push((await annsKey(tenant, ann)).api_key_id);
  const first = replica((verb, request) => verb === 'api_key.revoke' && request['api_key_id'] === made[2]);
  const { pass } = await first.offboard.run(caller, member_id, 'left');
  expect(pass).toMatchObject({ more: true });
  expect([...pass.revoked].sort()).toEqual(made.filter((_, at) => at !== 2).sort());
  await replica().offboard.sweep();
  expect(await offboardings.keysOf(tenant, member_id, 10)).toEqual([]);
});

it('an offboarding that fails keeps none from its turn', async () => {
  const [older, newer] = [await newTenant(), await newTenant()];
  const { offboard } = replica();
  for (const { caller, member_id } of [older, newer]) await offboard.run(caller, member_id, 'left');
  await age(older.tenant);
  const first = async () => (await offboardings.open(1))[0]?.member_id;
  expect(await first()).toBe(older.member_id);
  await offboardings.tried(older.tenant, older.member_id);
  expect(await first()).not.toBe(older.member_id);
});

it('an offboarded person is forgotten once the offboarding has ended', async () => {
  const { tenant, ann, member_id, caller } = await newTenant();
  await annsKey(tenant, ann);
  const { offboard } = replica();
  await offboard.run(caller, member_id, 'left');
  const forget = () => identities.forgetPerson(tenant, ann.person_id);
  await expect(forget()).rejects.toMatchObject({ code: 'conflict' });
  await offboardings.end(tenant, member_id);
  expect(await forget()).toBe(true);
  expect(await members.read(tenant, member_id)).toBeNull();
  // The subject stays denied.
  const { subject_hash } = ann;
  expect(await identities.isDenied(tenant, { subject_hash, jti_hash: randomBytes(32) })).toBe(true);
});

it('what can not be recorded does not begin', async () => {
  const { tenant, ann, member_id, caller } = await newTenant();
  const hash = randomBytes(32);
  await annsKey(tenant, ann, hash);
  const { offboard } = replica((verb) => verb === 'change.record');
  await expect(offboard.run(caller, member_id, 'left')).rejects.toMatchObject({ code: 'bus.unreachable' });
  expect(await keys.authenticate(hash)).not.toBeNull();
  expect(await members.read(tenant, member_id)).toMatchObject({ state: 'active' });
});

it('a key that a process of the version before made meanwhile ends with the last pass', async () => {
  const { tenant, ann, member_id, caller } = await newTenant();
  await annsKey(tenant, ann);
  const { offboard } = replica();
  await offboard.run(caller, member_id, 'left');
  const hash = randomBytes(32);
  await inTenant(store.pool, tenant, (client) =>
    client.query(
      `INSERT INTO orchestrator.api_key (api_key_id, tenant_id, name, role, principal, key_hash, created_by)
       VALUES ($1, $2, 'x', 'operator', 'ann', $3, 'key_x')`,
      [newId('apiKey'), tenant, hash],
    ),
  );
  await offboard.sweep();
  expect(await keys.authenticate(hash)).toBeNull();
  expect(await openOf(tenant)).toHaveLength(1);
  await age(tenant);
  await offboard.sweep();
  expect(await openOf(tenant)).toEqual([]);
});

it('no credential that is made beside an offboarding is good after it, in a hundred interleavings', async () => {
  const { offboard } = replica();
  for (let round = 0; round < 100; round++) {
    const { tenant, provider_id, ann, member_id, caller } = await newTenant();
    const [key, credential] = [randomBytes(32), randomBytes(32)];
    const tokenOf = async () => {
      // As a token of Ann does: the member is found, and then the credential is made.
      const member = await members.vouch(tenant, ann);
      const made = newKey({
        hash: credential,
        principal: 'ann',
        role: 'operator',
        member_id: member?.member_id ?? null,
      });
      const { subject_hash } = ann;
      await identities.createCredential(tenant, { ...made, created_by: provider_id }, { provider_id, subject_hash });
    };
    const others = [() => annsKey(tenant, ann, key), tokenOf, () => offboard.run(caller, member_id, 'left')];
    // Each begins a little later than the one before, in an order that changes.
    const order = others.map((run, at) => ({ run, delay: ((round * (at + 3)) % 7) * 0.3 }));
    await Promise.allSettled(
      order.map(async ({ run, delay }) => {
        await new Promise((resolve) => void setTimeout(resolve, delay));
        return await run();
      }),
    );
    expect(await members.read(tenant, member_id)).toMatchObject({ state: 'offboarded' });
    for (const hash of [key, credential]) expect(await keys.authenticate(hash)).toBeNull();
  }
}, 60_000);

it('two administrators who offboard each other leave one', async () => {
  for (let round = 0; round < 10; round++) {
    const tenant = newId('tenant');
    const { provider_id } = await identities.put(tenant, registration(), 20);
    const people = await Promise.all(
      ['ann', 'bob'].map(async (principal) => {
        const person_id = newId('person');
        const vouched = { subject_hash: randomBytes(32), provider_id, person_id, principal, sealed: 'x' };
        const member = await members.vouch(tenant, { member_id: newId('member'), ...vouched });
        const { api_key_id } = await keys.create(tenant, newKey({ principal, person_id }));
        return { member_id: String(member?.member_id), api_key_id };
      }),
    );
    const { offboard } = replica();
    const ends = await Promise.allSettled(
      people.map(({ member_id }, at) => {
        const by = people[1 - at]!.api_key_id;
        return offboard.run({ tenant_id: tenant, api_key_id: by, role: 'admin', agent_id: null }, member_id, 'left');
      }),
    );
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  }
});
