// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { FakeApiKeys } from '../../specs/fake-api-keys.ts';
import { newKey } from '../../store/keys/api-keys.contract.ts';
import { RevokeKey } from './revoke-key.ts';

const TOKENS = { tokens: [newId('token')], more_tokens: true };

/** What happened, in its order. */
let events: string[];
let keys: FakeApiKeys;
let answer: () => Promise<object>;
let revokeKey: RevokeKey;
let admin: Caller;
beforeEach(async () => {
  events = [];
  keys = new FakeApiKeys();
  answer = async () => TOKENS;
  const kernel = {
    ask: async (verb: string, { tenant_id }: Caller, { api_key_id }: { readonly api_key_id: string }) => {
      const row = await keys.read(tenant_id, api_key_id);
      events.push(`${verb} ${api_key_id} while ${row?.revoked_at === null ? 'valid' : 'revoked'}`);
      return await answer();
    },
  };
  const noting =
    (what: string) =>
    (id: string): void =>
      void events.push(`${what} ${id}`);
  const parts = { keys, authenticator: { forget: noting('forget') }, runs: { keyRevoked: noting('end runs of') } };
  revokeKey = new RevokeKey(kernel as never, parts);
  admin = await newAdmin();
});

async function newAdmin(): Promise<Caller> {
  const tenant_id = newId('tenant');
  const { api_key_id } = await keys.create(tenant_id, newKey());
  return { tenant_id, api_key_id, role: 'admin', agent_id: null };
}
const keyOf = async ({ tenant_id }: Caller) => (await keys.create(tenant_id, newKey({ role: 'operator' }))).api_key_id;
const isValid = async ({ tenant_id }: Caller, id: string) => (await keys.read(tenant_id, id))?.revoked_at === null;

it('a key is revoked by the kernel first, then in the store, and then its cache entry and its runs end', async () => {
  const id = await keyOf(admin);
  const revoked = await revokeKey.run(admin, id);
  expect(revoked).toEqual({
    row: expect.objectContaining({ api_key_id: id, revoked_at: expect.any(Number) }),
    left: TOKENS,
  });
  expect(events).toEqual([`api_key.revoke ${id} while valid`, `forget ${id}`, `end runs of ${id}`]);
});

it('a key stays valid where the kernel does not refuse its calls durably, and the next request revokes it', async () => {
  const id = await keyOf(admin);
  answer = async () => {
    throw new Fault('bus.unreachable');
  };
  await expect(revokeKey.run(admin, id)).rejects.toMatchObject({ code: 'bus.unreachable' });
  expect(await isValid(admin, id)).toBe(true);
  expect(events).toEqual([`api_key.revoke ${id} while valid`]);
  answer = async () => TOKENS;
  await revokeKey.run(admin, id);
  expect(await isValid(admin, id)).toBe(false);
});

it('a key that was revoked before is revoked again, for what a crash may have left', async () => {
  const id = await keyOf(admin);
  const first = await revokeKey.run(admin, id);
  events.length = 0;
  expect(await revokeKey.run(admin, id)).toEqual(first);
  expect(events).toEqual([`api_key.revoke ${id} while revoked`, `forget ${id}`, `end runs of ${id}`]);
});

it("neither the kernel nor a run of another tenant hears of that tenant's key", async () => {
  const id = await keyOf(await newAdmin());
  expect(await revokeKey.run(admin, id)).toBeNull();
  expect(await revokeKey.run(admin, newId('apiKey'))).toBeNull();
  expect(events).toEqual([]);
});

it('the last key of an administrator is not revoked, and the kernel is not asked', async () => {
  await expect(revokeKey.run(admin, admin.api_key_id)).rejects.toMatchObject({ code: 'conflict' });
  expect(events).toEqual([]);
  expect(await isValid(admin, admin.api_key_id)).toBe(true);
});
