// SPDX-License-Identifier: Apache-2.0
// What the kernel is told of suspensions, from a real database, beside other replicas and those that stop.
import { randomBytes } from 'node:crypto';
import { Fault, type Caller, type TenantId } from '@writ/contract';
import { inTenant } from '@writ/database';
import { newId } from '@writ/nest-kit';
import { testStore, type TestStore } from '../../specs/test-store.ts';
import { PgIdentities } from '../../store/identities/pg-identities.ts';
import { newKey } from '../../store/keys/api-keys.contract.ts';
import { PrismaApiKeys } from '../../store/keys/prisma-api-keys.ts';
import { PgMembers } from '../../store/members/pg-members.ts';
import { PgOffboardings } from '../../store/members/pg-offboardings.ts';
import { PgSuspensions } from '../../store/members/pg-suspensions.ts';
import { registration } from '../../store/sign-ins/sign-ins.contract.ts';
import { SettleVotes } from './settle-votes.ts';

let store: TestStore;
let keys: PrismaApiKeys;
let identities: PgIdentities;
let members: PgMembers;
let suspensions: PgSuspensions;
beforeAll(async () => {
  store = await testStore();
  keys = new PrismaApiKeys(store.pool);
  identities = new PgIdentities(store.pool);
  members = new PgMembers(store.pool);
  suspensions = new PgSuspensions(store.pool);
}, 120_000);
afterAll(async () => {
  await keys.close();
  await store.drop();
});

const nothing = async (): Promise<void> => undefined;
/** A tenant with Ann, who has a key, and an administrator. */
async function newTenant() {
  const tenant = newId('tenant');
  const { api_key_id: by } = await keys.create(tenant, newKey());
  const { provider_id } = await identities.put(tenant, registration(), 20);
  const person_id = await identities.personOf(tenant, randomBytes(32), newId('person'));
  const vouched = { member_id: newId('member'), subject_hash: randomBytes(32), provider_id, person_id };
  const { member_id = '' } = (await members.vouch(tenant, { ...vouched, principal: 'ann', sealed: 'x' })) ?? {};
  await keys.create(tenant, newKey({ hash: randomBytes(32), principal: 'ann', person_id, role: 'operator' }));
  const change = (state: 'active' | 'suspended') => members.change(tenant, member_id, { state, by }, nothing);
  return { tenant, member_id, by, change };
}

interface Told {
  readonly by: Caller;
  readonly member_id: string;
  readonly suspended: boolean;
  readonly principals: readonly string[];
}
/** A replica. @param fails the fault of each request */
function replica(fails?: 'bus.unreachable' | 'tenant.closed') {
  const told: Told[] = [];
  const reported: unknown[] = [];
  const kernel = {
    ask: async (_verb: string, by: Caller, request: Omit<Told, 'by'>) => {
      if (fails !== undefined) throw new Fault(fails);
      told.push({ by, ...request });
      return { names: request.principals.length };
    },
  };
  const report = (error: unknown): void => void reported.push(error);
  return { votes: new SettleVotes(kernel as never, { suspensions, report }), told, reported };
}
const isUnsettled = async (tenant: TenantId) =>
  (await suspensions.unsettled(10_000)).some(({ tenant_id }) => tenant_id === tenant);

it('the kernel is told once of a suspension, with the names of the person, and once of its end', async () => {
  const { tenant, member_id, by, change } = await newTenant();
  const { votes, told } = replica();
  await votes.settle(tenant, member_id);
  expect(told).toEqual([]);
  await change('suspended');
  expect(await isUnsettled(tenant)).toBe(true);
  await Promise.all([votes.settle(tenant, member_id), votes.settle(tenant, member_id)]);
  expect(told).toEqual([
    {
      by: { tenant_id: tenant, api_key_id: by, role: 'admin', agent_id: null },
      ...{ member_id, suspended: true, principals: ['ann'] },
    },
  ]);
  await change('active');
  await votes.settle(tenant, member_id);
  expect(told.slice(1)).toMatchObject([{ member_id, suspended: false, principals: [] }]);
  expect(await isUnsettled(tenant)).toBe(false);
});

it('what a replica could not tell the kernel, the sweep of another one tells it', async () => {
  const { tenant, member_id, change } = await newTenant();
  await change('suspended');
  const first = replica('bus.unreachable');
  await first.votes.settle(tenant, member_id);
  expect(first.reported).toMatchObject([{ code: 'bus.unreachable' }]);
  expect(await isUnsettled(tenant)).toBe(true);
  const second = replica();
  await second.votes.sweep();
  expect(second.told.filter(({ by }) => by.tenant_id === tenant)).toMatchObject([{ member_id, suspended: true }]);
  expect(await isUnsettled(tenant)).toBe(false);
});

it('a suspension by a process of the version before is told, too', async () => {
  const { tenant, member_id } = await newTenant();
  await inTenant(store.pool, tenant, (client) =>
    client.query(`UPDATE orchestrator.member SET state = 'suspended' WHERE member_id = $1`, [member_id]),
  );
  const { votes, told } = replica();
  await votes.sweep();
  expect(told.filter(({ by }) => by.tenant_id === tenant)).toMatchObject([{ member_id, suspended: true }]);
});

it('a repeated suspension tells of each name that came meanwhile, a hundred at a time', async () => {
  const { tenant, member_id, change } = await newTenant();
  const { votes, told } = replica();
  await change('suspended');
  await votes.settle(tenant, member_id);
  await store.admin.query(
    `INSERT INTO orchestrator.api_key
       (api_key_id, tenant_id, name, role, principal, key_hash, created_by, member_id, revoked_at)
     SELECT 'key_' || $1 || n, $1, 'x', 'operator', 'ann-' || n, sha256(($1 || n)::bytea), 'key_x', $2, 1
     FROM generate_series(1, 130) AS n`,
    [tenant, member_id],
  );
  await change('suspended');
  await votes.settle(tenant, member_id);
  const later = told.slice(1).map(({ principals }) => principals);
  expect([later.map(({ length }) => length), new Set(later.flat()).size]).toEqual([[100, 31], 131]);
});

it('the kernel hears of suspensions that begin and end in their order', async () => {
  const { tenant, member_id, change } = await newTenant();
  const { votes, told } = replica();
  for (let round = 0; round < 20; round++) {
    const step = async (state: 'active' | 'suspended'): Promise<void> => {
      await change(state);
      await votes.settle(tenant, member_id);
    };
    await Promise.all([step('suspended'), step('active'), votes.sweep()]);
    const { state } = (await members.read(tenant, member_id)) ?? {};
    expect([told.at(-1)?.suspended, await isUnsettled(tenant)]).toEqual([state === 'suspended', false]);
  }
});

it('an offboarded member is not told of here, and the end of a suspension in a closed tenant is dropped', async () => {
  const offboardings = new PgOffboardings(store.pool);
  const [gone, closed] = [await newTenant(), await newTenant()];
  await gone.change('suspended');
  await offboardings.begin(gone.tenant, gone.member_id, gone.by, nothing);
  const { votes, told } = replica();
  await votes.sweep();
  expect(told.filter(({ by }) => by.tenant_id === gone.tenant)).toEqual([]);
  expect(await isUnsettled(gone.tenant)).toBe(false);
  await closed.change('active');
  await replica('tenant.closed').votes.settle(closed.tenant, closed.member_id);
  expect(await isUnsettled(closed.tenant)).toBe(false);
});

it('nobody settles a member of another tenant', async () => {
  const { tenant, member_id, change } = await newTenant();
  await change('suspended');
  const { votes, told } = replica();
  await votes.settle(newId('tenant'), member_id);
  expect([told, await isUnsettled(tenant)]).toEqual([[], true]);
});
