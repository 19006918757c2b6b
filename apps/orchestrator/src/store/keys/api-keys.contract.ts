// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { Fault, type TenantId } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { ApiKeys, NewKey } from './api-keys.ts';

/** A new key that is not stored yet. */
export const newKey = (over: Partial<NewKey> = {}): NewKey => ({
  api_key_id: newId('apiKey'),
  name: 'a key',
  role: 'admin',
  agent_id: null,
  hash: randomBytes(32),
  created_by: 'platform',
  ...over,
});

/** The contract of every implementation of the port. */
export function apiKeysContract(name: string, open: () => ApiKeys): void {
  describe(`keys kept by ${name}`, () => {
    let tenant: TenantId;
    beforeEach(() => {
      tenant = newId('tenant');
    });
    const make = (over: Partial<NewKey> = {}, of = tenant) => open().create(of, newKey(over));

    it('are found by their hash, with their role and agent', async () => {
      const [agent_id, hash] = [newId('agent'), randomBytes(32)];
      const row = await make({ role: 'agent', agent_id, hash, name: 'ci', created_by: 'key_x' });
      expect(row).toEqual({
        api_key_id: row.api_key_id,
        name: 'ci',
        role: 'agent',
        agent_id,
        principal: null,
        member_id: null,
        tools: null,
        created_at: expect.any(Number),
        created_by: 'key_x',
        revoked_at: null,
        scopes: [],
        bound_token: null,
        expires_at: null,
        last_used_at: null,
        rotated_at: null,
        former_until: null,
      });
      expect(await open().authenticate(hash)).toEqual({
        tenant_id: tenant,
        api_key_id: row.api_key_id,
        role: 'agent',
        agent_id,
      });
      expect(await open().authenticate(randomBytes(32))).toBeNull();
    });

    it('belong to the person that they name', async () => {
      const hash = randomBytes(32);
      expect(await make({ hash, principal: 'ann@example.com' })).toMatchObject({ principal: 'ann@example.com' });
      expect(await open().authenticate(hash)).toMatchObject({ principal: 'ann@example.com' });
    });

    it('of workers name the tools whose calls they take', async () => {
      const hash = randomBytes(32);
      const tools = ['billing.*', 'mail.send'];
      expect(await make({ hash, role: 'worker', tools })).toMatchObject({ role: 'worker', tools });
      expect(await open().authenticate(hash)).toMatchObject({ role: 'worker', tools });
    });

    it('are read by their own tenant alone', async () => {
      const row = await make();
      expect(await open().read(tenant, row.api_key_id)).toEqual(row);
      expect(await open().read(newId('tenant'), row.api_key_id)).toBeNull();
      expect(await open().read(tenant, newId('apiKey'))).toBeNull();
    });

    it('are listed newest first, page by page, each once', async () => {
      const made: string[] = [];
      for (let n = 0; n < 5; n++) made.unshift((await make({ name: `key ${n}` })).api_key_id);
      await make({}, newId('tenant'));
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Awaited<ReturnType<ApiKeys['list']>> = await open().list(tenant, { cursor, limit: 2 });
        seen.push(...page.items.map(({ api_key_id }) => api_key_id));
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(seen).toEqual(made);
      await expect(open().list(tenant, { cursor: 'made up', limit: 2 })).rejects.toMatchObject({
        code: 'request.malformed',
      });
    });

    it('are rejected after their revocation, and a second revocation changes nothing', async () => {
      const hash = randomBytes(32);
      await make();
      const { api_key_id } = await make({ hash });
      const revoked = await open().revoke(tenant, api_key_id);
      expect(revoked).toMatchObject({ api_key_id, revoked_at: expect.any(Number) });
      expect(await open().authenticate(hash)).toBeNull();
      expect(await open().revoke(tenant, api_key_id)).toEqual(revoked);
    });

    it('are revoked by their own tenant alone', async () => {
      const hash = randomBytes(32);
      const { api_key_id } = await make({ role: 'operator', hash });
      expect(await open().revoke(newId('tenant'), api_key_id)).toBeNull();
      expect(await open().authenticate(hash)).not.toBeNull();
    });

    it('are revoked after the preceding step, and stay valid if that fails', async () => {
      const hash = randomBytes(32);
      const { api_key_id } = await make({ role: 'operator', hash });
      await expect(
        open().revoke(tenant, api_key_id, () => Promise.reject(new Fault('bus.unreachable'))),
      ).rejects.toMatchObject({ code: 'bus.unreachable' });
      expect(await open().authenticate(hash)).not.toBeNull();
      const seen: unknown[] = [];
      const before = async (): Promise<void> => {
        seen.push(await open().authenticate(hash));
      };
      await open().revoke(tenant, api_key_id, before);
      await open().revoke(tenant, api_key_id, before);
      expect(seen).toEqual([expect.objectContaining({ api_key_id }), null]);
    });

    it("that are an administrator's last are refused before anything else happens", async () => {
      const { api_key_id } = await make();
      await make({ role: 'operator' });
      let asked = 0;
      await expect(
        open().revoke(tenant, api_key_id, async () => {
          asked += 1;
        }),
      ).rejects.toMatchObject({ code: 'conflict' });
      expect(asked).toBe(0);
    });

    it('are all revoked with their tenant, the last administrator’s too, and none of another tenant', async () => {
      const [mine, last, theirs] = [randomBytes(32), randomBytes(32), randomBytes(32)];
      await make({ role: 'operator', hash: mine });
      const { api_key_id } = await make({ hash: last });
      await make({ hash: theirs }, newId('tenant'));
      await open().revokeAll(tenant);
      await open().revokeAll(tenant);
      expect(await open().authenticate(mine)).toBeNull();
      expect(await open().authenticate(last)).toBeNull();
      expect(await open().authenticate(theirs)).not.toBeNull();
      expect(await open().read(tenant, api_key_id)).toMatchObject({ revoked_at: expect.any(Number) });
    });

    it("return the roles of a person's valid keys, and none of another tenant's", async () => {
      await make({ role: 'auditor', principal: 'ann' });
      const { api_key_id } = await make({ role: 'operator', principal: 'ann' });
      const own = await make({ role: 'operator' });
      await make({ role: 'admin', principal: 'ann' }, newId('tenant'));
      expect((await open().rolesOf(tenant, 'ann')).sort()).toEqual(['auditor', 'operator']);
      await open().revoke(tenant, api_key_id);
      expect(await open().rolesOf(tenant, 'ann')).toEqual(['auditor']);
      // A key without a person counts as a separate person, with the key's id as its name.
      expect(await open().rolesOf(tenant, own.api_key_id)).toEqual(['operator']);
      expect(await open().rolesOf(tenant, api_key_id)).toEqual([]);
      expect(await open().rolesOf(tenant, 'nobody')).toEqual([]);
    });

    it('include one administrator per tenant, even when two are revoked at once', async () => {
      const both = [await make(), await make()];
      const ends = await Promise.allSettled(both.map(({ api_key_id }) => open().revoke(tenant, api_key_id)));
      expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(ends.find((end) => end.status === 'rejected')?.reason).toMatchObject({ code: 'conflict' });
    });

    it('are rejected from their end on, and give their person no role then', async () => {
      const [over, good] = [randomBytes(32), randomBytes(32)];
      const end = Date.now() + 3_600_000;
      await make({ role: 'operator', principal: 'ann', hash: over, expires_at: Date.now() - 1 });
      await make({ role: 'auditor', principal: 'ann', hash: good, expires_at: end });
      expect(await open().present(over)).toBeNull();
      expect(await open().present(good)).toMatchObject({ expires_at: end });
      expect(await open().rolesOf(tenant, 'ann')).toEqual(['auditor']);
    });

    it('have scopes, with which they give their person no role', async () => {
      const hash = randomBytes(32);
      await make({ role: 'operator', principal: 'ann', hash, scopes: ['operations:read'] });
      expect(await open().present(hash)).toMatchObject({ scopes: ['operations:read'] });
      expect(await open().rolesOf(tenant, 'ann')).toEqual([]);
    });

    it('of administrators that end, that have scopes or that an issuer vouches for are no last ones', async () => {
      const { api_key_id } = await make();
      await make({ expires_at: Date.now() + 3_600_000 });
      await make({ scopes: ['operations:read'] });
      await make({ created_by: newId('identityProvider') });
      const refused = { code: 'conflict', message: expect.stringContaining('last valid key of an administrator') };
      await expect(open().revoke(tenant, api_key_id)).rejects.toMatchObject(refused);
      const soon = { hash: randomBytes(32), overlap_ms: 0, expires_at: Date.now() + 1_000 };
      await expect(open().rotate(tenant, api_key_id, soon, none)).rejects.toMatchObject(refused);
      await make();
      expect(await open().revoke(tenant, api_key_id)).toMatchObject({ api_key_id });
    });

    it('that are rotated are found by both secrets during the overlap, and by the new one after it', async () => {
      const [first, second, third] = [randomBytes(32), randomBytes(32), randomBytes(32)];
      const { api_key_id } = await make({ role: 'operator', hash: first });
      const rotated = await open().rotate(tenant, api_key_id, { hash: second, overlap_ms: 60_000 }, none);
      expect(rotated).toMatchObject({ api_key_id, rotated_at: expect.any(Number), expires_at: null });
      expect(await open().present(first)).toMatchObject({
        caller: { api_key_id },
        is_former: true,
        expires_at: rotated?.former_until,
      });
      expect(await open().present(second)).toMatchObject({
        caller: { api_key_id },
        is_former: false,
        expires_at: null,
      });
      await open().rotate(tenant, api_key_id, { hash: third, overlap_ms: 0 }, none);
      expect([await open().present(first), await open().present(second)]).toEqual([null, null]);
      expect(await open().present(third)).toMatchObject({ caller: { api_key_id } });
    });

    it("that are an administrator's last are rotated only where a lost answer locks nobody out", async () => {
      const hash = randomBytes(32);
      const { api_key_id } = await make({ hash });
      const rotate = (overlap_ms: number) =>
        open().rotate(tenant, api_key_id, { hash: randomBytes(32), overlap_ms }, none);
      for (const overlap of [0, 59_999])
        await expect(rotate(overlap)).rejects.toMatchObject({
          code: 'conflict',
          message: expect.stringContaining('`overlap_ms` of 60000 or more'),
        });
      await rotate(60_000);
      expect(await open().present(hash)).toMatchObject({ is_former: true });
      await make();
      await rotate(0);
      expect(await open().present(hash)).toBeNull();
    });

    it('that are rotated keep no earlier secret for longer than it was good', async () => {
      const [first, second] = [randomBytes(32), randomBytes(32)];
      const { api_key_id } = await make({ role: 'operator', hash: first });
      await open().rotate(tenant, api_key_id, { hash: second, overlap_ms: 30_000 }, none);
      const before = await open().present(first);
      await open().rotate(tenant, api_key_id, { hash: randomBytes(32), overlap_ms: 600_000 }, none);
      expect((await open().present(first))?.expires_at).toBe(before?.expires_at);
    });

    it('are rotated by their newest secret alone where one is presented, also by two requests at once', async () => {
      const [first, second] = [randomBytes(32), randomBytes(32)];
      const { api_key_id } = await make({ role: 'operator', hash: first });
      const by = (presented: Uint8Array, hash: Uint8Array) =>
        open().rotate(tenant, api_key_id, { hash, presented, overlap_ms: 60_000 }, none);
      // Both requests found their secret to be the newest one.
      const ends = await Promise.allSettled([by(first, second), by(first, randomBytes(32))]);
      expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      let asked = 0;
      const former = { hash: randomBytes(32), presented: first, overlap_ms: 0 };
      await expect(
        open().rotate(tenant, api_key_id, former, async () => {
          asked += 1;
        }),
      ).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('exchanged before') });
      expect([asked, await open().present(former.hash)]).toEqual([0, null]);
      expect(await open().present(first)).toMatchObject({ is_former: true });
    });

    it('are rotated after the preceding step, and by their own tenant alone', async () => {
      const hash = randomBytes(32);
      const { api_key_id } = await make({ role: 'operator', hash });
      const rotation = { hash: randomBytes(32), overlap_ms: 0 };
      const failing = () => Promise.reject(new Fault('bus.unreachable'));
      await expect(open().rotate(tenant, api_key_id, rotation, failing)).rejects.toMatchObject({
        code: 'bus.unreachable',
      });
      expect(await open().rotate(newId('tenant'), api_key_id, rotation, none)).toBeNull();
      expect(await open().present(hash)).toMatchObject({ is_former: false });
      expect(await open().present(rotation.hash)).toBeNull();
    });

    it('that were revoked, that have ended and that nobody holds are not rotated', async () => {
      const agent = { role: 'agent', agent_id: newId('agent') } as const;
      const ended = Date.now() - 1;
      const rows = [
        await make({ role: 'operator', expires_at: ended }),
        await make({ role: 'operator', created_by: newId('identityProvider') }),
        await make({ ...agent, bound_token: newId('token'), scopes: ['x:read'], expires_at: ended + 60_000 }),
        await make({ role: 'operator' }),
      ];
      await open().revoke(tenant, rows[3]?.api_key_id ?? '');
      for (const { api_key_id } of rows)
        await expect(
          open().rotate(tenant, api_key_id, { hash: randomBytes(32), overlap_ms: 0 }, none),
        ).rejects.toMatchObject({ code: 'conflict' });
    });

    it('that were exchanged end with the key that they were exchanged for, and are not listed', async () => {
      const agent = { role: 'agent', agent_id: newId('agent') } as const;
      const [hash, bound_token] = [randomBytes(32), newId('token')];
      const parent = await make(agent);
      const exchanged = { bound_token, scopes: ['x:read'], expires_at: Date.now() + 60_000 };
      await make({ ...agent, ...exchanged, hash, created_by: parent.api_key_id });
      expect(await open().present(hash)).toMatchObject({ bound_token, scopes: ['x:read'] });
      const { items } = await open().list(tenant, { cursor: null, limit: 10 });
      expect(items.map(({ api_key_id }) => api_key_id)).toEqual([parent.api_key_id]);
      await open().revoke(tenant, parent.api_key_id);
      expect(await open().present(hash)).toBeNull();
    });

    it('that were exchanged before a rotation end with the secret of before, and others do not', async () => {
      const agent = { role: 'agent', agent_id: newId('agent') } as const;
      const { api_key_id: created_by } = await make(agent);
      const exchange = async (hash = randomBytes(32)) => {
        const exchanged = { bound_token: newId('token'), scopes: ['x:read'], expires_at: Date.now() + 60_000 };
        await make({ ...agent, ...exchanged, hash, created_by });
        return hash;
      };
      const rotate = (overlap_ms: number, more: object = {}) =>
        open().rotate(tenant, created_by, { hash: randomBytes(32), overlap_ms, ...more }, none);
      const before = await exchange();
      await rotate(60_000);
      expect(await open().present(before)).not.toBeNull();
      await rotate(0);
      expect(await open().present(before)).toBeNull();
      // Times are of a millisecond.
      await new Promise((resolve) => setTimeout(resolve, 5));
      const after = await exchange();
      expect(await open().present(after)).not.toBeNull();
      await rotate(60_000, { expires_at: Date.now() + 50 });
      await expect.poll(async () => await open().present(after)).toBeNull();
    });

    it('show the minute of their last use', async () => {
      const [used, unused] = [await make(), await make()];
      await open().recordUse([used.api_key_id, newId('apiKey')]);
      const { last_used_at } = (await open().read(tenant, used.api_key_id)) ?? {};
      expect((last_used_at ?? 1) % 60_000).toBe(0);
      expect(Math.abs((last_used_at ?? 0) - Date.now())).toBeLessThan(120_000);
      expect(await open().read(tenant, unused.api_key_id)).toMatchObject({ last_used_at: null });
    });
  });
}

const none = async (): Promise<void> => undefined;
