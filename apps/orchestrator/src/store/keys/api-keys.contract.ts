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
        tools: null,
        created_at: expect.any(Number),
        created_by: 'key_x',
        revoked_at: null,
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
  });
}
