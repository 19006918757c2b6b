// SPDX-License-Identifier: Apache-2.0
// What tokens and the work on them are bounded by: who is given a client's secret, how often an authorization server is
// asked, which tenant's turn it is, and what is left of a person who was forgotten.
import { secretContext, sealTo } from '@writ/sealing';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import {
  openConnectionSpec,
  ISSUER,
  OAUTH,
  OAUTH_SETTINGS,
  TOKENS,
  type Person,
} from '../../specs/connection-scene.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requestBy, type TestManagement } from '../../specs/test-management.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { newId } from '@writ/nest-kit';

let kernel: TestKernel;
let manage: TestManagement;
let tenant: TestTenant;
let ann: Person;
const scene = openConnectionSpec((on, of) => {
  ({ kernel, manage } = on);
  tenant = of;
  ann = person('ann');
});
const { person, registered, ask, connect, claimWork, claimedWork, secretsOf, report, rowOf, expireIn } = scene;
const NEW = { ...TOKENS, access_token: 'marker-access-2', refresh_token: 'marker-refresh-2' };
const down = { code: 'mcp.token_unavailable' as const, message: 'it does not answer' };
const statusOf = async ({ caller }: Person, resource: string) =>
  (await kernelSql.mcpToken(kernel.tenants.pool, { tenant: tenant.tenantId, key: caller.api_key_id, resource })).status;
const end = (connection_id: string) => manage.mcpConnections.end({ ...requestBy(scene.admin()), connection_id });
const verbsOf = async (connection_id: string) =>
  (await scene.changes()).filter(([, subject]) => subject === connection_id).map(([verb]) => verb);
/** Fails the work of a connection until it is given up. */
async function giveUp(connection_id: string): Promise<void> {
  for (let work = await claimWork(); work !== null; work = await claimWork()) {
    expect(work.connection_id).toBe(connection_id);
    await report(work, { problem: down });
    await kernel.admin.query(
      'UPDATE kernel.mcp_connection SET due_at = 0 WHERE connection_id = $1 AND work IS NOT NULL',
      [connection_id],
    );
  }
}
/** Lets time pass since its tokens came. */
const age = (connection_id: string, ms: number) =>
  kernel.admin.query(
    'UPDATE kernel.mcp_connection SET renewed_at = renewed_at - $2, access_expires_at = access_expires_at - $2 WHERE connection_id = $1',
    [connection_id, ms],
  );

describe("a client's secret", () => {
  const CLIENT = { ...OAUTH, client_secret: 'CLIENT_SECRET', authorization_server: ISSUER };
  const SECRETIVE = { ...OAUTH_SETTINGS, credential: { oauth: CLIENT } };
  async function setSecret(value: string): Promise<void> {
    const key = Buffer.from((await kernel.supplyValue.publicKey()).public_key, 'base64');
    const sealed = await sealTo(key, Buffer.from(value), secretContext(tenant.tenantId, CLIENT.client_secret));
    const caller = requestBy(scene.admin());
    await manage.secrets.set({ ...caller, name: CLIENT.client_secret, value: sealed.toString('base64'), note: null });
  }
  const secretIn = async (work: Awaited<ReturnType<typeof claimedWork>>) => (await secretsOf(work))['client_secret'];

  it('goes to its authorization server, in its newest value while the person is connected', async () => {
    await setSecret('marker-first');
    const resource = await registered(SECRETIVE);
    const id = await connect(ann);
    await setSecret('marker-second');
    await expireIn(id, 0);
    await statusOf(ann, resource);
    const work = await claimedWork();
    expect(await secretIn(work)).toBe('marker-second');
    await report(work, { tokens: NEW });
    await end(id);
    expect(await secretIn(await claimedWork())).toBe('marker-second');
  });

  it('that is new goes to no authorization server whose connections ended before it had it, and that is said', async () => {
    await setSecret('marker-first');
    const resource_id = await registered(SECRETIVE);
    const id = await connect(ann);
    const other = { oauth: { ...CLIENT, authorization_server: 'https://other.outside.example' } };
    const settings = { ...SECRETIVE, credential: other };
    await manage.resources.update({ ...requestBy(scene.admin()), resource_id, settings, expected_version: 1 });
    await setSecret('marker-for-the-other');
    const work = await claimedWork();
    expect(work).toMatchObject({ connection_id: id, work: 'revoke', issuer: ISSUER });
    expect(await secretsOf(work)).toEqual({ refresh_token: 'marker-refresh-1', access_token: 'marker-access-1' });
    await report(work, { problem: down });
    await kernel.admin.query('UPDATE kernel.mcp_connection SET due_at = 0 WHERE connection_id = $1', [id]);
    await giveUp(id);
    const { problem, sealed } = await rowOf(id);
    expect(sealed).toBeNull();
    expect(problem).toMatchObject({
      code: down.code,
      message: expect.stringContaining("without the client's secret") as unknown,
    });
  });
});

describe('a report', () => {
  it('of tokens whose reply got lost counts again, for the same tokens, executor and claim', async () => {
    const resource = await registered();
    const id = await connect(ann);
    await expireIn(id, 0);
    await statusOf(ann, resource);
    const work = await claimedWork();
    expect(await report(work, { tokens: NEW })).toBe(true);
    expect(await report(work, { tokens: NEW })).toBe(true);
    expect(await report(work, { tokens: { ...NEW, refresh_token: null } })).toBe(true);
    expect(await report(work, { tokens: { ...NEW, access_token: 'marker-other' } })).toBe(false);
    expect(await report(work, { tokens: { ...NEW, refresh_token: 'marker-other' } })).toBe(false);
    expect(await report(work, { tokens: NEW }, scene.otherExecutor)).toBe(false);
    expect(await verbsOf(id)).toEqual(['asked', 'confirmed', 'connected'].map((step) => `mcp_connection_${step}`));
    await end(id);
    expect(await report(work, { tokens: NEW })).toBe(false);
  });

  it('of scopes that are none is refused', async () => {
    const resource = await registered();
    await expireIn(await connect(ann), 0);
    await statusOf(ann, resource);
    const work = await claimedWork();
    for (const scope of ['a\0', 'a b', '"', ''])
      await expect(report(work, { tokens: { ...NEW, scopes: [scope] } })).rejects.toMatchObject({
        code: 'request.malformed',
      });
    expect(await report(work, { tokens: { ...NEW, scopes: ['https://a.example/b:c'] } })).toBe(true);
  });
});

describe('a short access token', () => {
  it('is used for ten seconds, however short it is, and its authorization server is asked no sooner', async () => {
    const resource = await registered();
    const id = await connect(ann, { ...TOKENS, expires_in: 0 });
    for (let n = 0; n < 3; n += 1) {
      expect(await statusOf(ann, resource)).toBe('ready');
      expect(await claimWork()).toBeNull();
      await age(id, 10_001);
      expect(await statusOf(ann, resource)).toBe('waits');
      expect(await report(await claimedWork(), { tokens: { ...NEW, expires_in: n } })).toBe(true);
    }
    expect(await statusOf(ann, resource)).toBe('ready');
  });

  it('of a minute is renewed in its second half, while calls use it', async () => {
    const resource = await registered();
    const id = await connect(ann, { ...TOKENS, expires_in: 60 });
    await age(id, 29_000);
    expect(await statusOf(ann, resource)).toBe('ready');
    expect(await claimWork()).toBeNull();
    await age(id, 2_000);
    expect(await statusOf(ann, resource)).toBe('ready');
    expect(await claimWork()).toMatchObject({ work: 'refresh' });
    await age(id, 15_000);
    expect(await statusOf(ann, resource)).toBe('waits');
  });
});

describe('the turn of a tenant', () => {
  const claimAs = (without: readonly string[] = []) =>
    kernelSql.claimMcpToken(kernel.workers.pool, { executor: newId('executor'), lease_ms: 30_000, each: 4, without });

  it('comes less often for what fenced executors are still at', async () => {
    const resource = await registered();
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      const who = person(`p${String(n)}`);
      const id = await connect(who);
      await expireIn(id, 0);
      await statusOf(who, resource);
      expect(await claimWork()).toMatchObject({ connection_id: id });
      ids.push(id);
    }
    for (const id of ids) await end(id);
    expect(await claimWork()).toBeNull();
    await kernel.admin.query('UPDATE kernel.mcp_connection SET fenced_until = 1 WHERE tenant_id = $1', [
      tenant.tenantId,
    ]);
    expect(await claimWork()).toMatchObject({ work: 'revoke', tenant_id: tenant.tenantId });
  });

  it('is the one whose work an executor took longest ago, also where that was fenced', async () => {
    const tenants: string[] = [];
    const park = (due_at: number) =>
      kernel.admin.query(
        'UPDATE kernel.mcp_connection SET due_at = $2, claimed_at = 5 WHERE tenant_id = ANY ($1) AND work IS NOT NULL',
        [tenants, due_at],
      );
    for (let n = 0; n < 2; n += 1) {
      if (n > 0) tenant = scene.enter(await kernel.newTenant());
      const resource = await registered();
      for (const name of ['ann', 'bob']) {
        const who = person(name);
        await expireIn(await connect(who), 0);
        await statusOf(who, resource);
        tenants.push(tenant.tenantId);
        await park(9e15);
      }
    }
    await park(1);
    const { tenant_id, connection_id } = await claimedWork();
    tenant = scene.enter({ ...tenant, tenantId: tenant_id } as TestTenant);
    await end(connection_id);
    const next = await claimedWork();
    expect(tenants).toContain(next.tenant_id);
    expect(next.tenant_id).not.toBe(tenant_id);
  });

  it('is passed over by an executor at which the tenant has its share', async () => {
    await registered();
    await end(await connect(ann));
    expect(await claimAs([newId('tenant'), tenant.tenantId])).toBeNull();
    expect(await claimAs([newId('tenant')])).toMatchObject({ tenant_id: tenant.tenantId });
  });
});

describe('the records of connections', () => {
  it('say that a revocation was given up, and the connection shows why', async () => {
    await registered();
    const id = await connect(ann);
    await end(id);
    await giveUp(id);
    expect((await verbsOf(id)).slice(-2)).toEqual(['mcp_connection_ended', 'mcp_connection_revocation_failed']);
    expect((await scene.connectionOf(id)).problem).toEqual({
      code: down.code,
      message: 'its tokens could not be revoked at the authorization server: it does not answer',
    });
  });

  it("say whose rights list a server's tools no more", async () => {
    await registered();
    const first = await connect(person('carol', 'admin'), TOKENS, { lists: true });
    await connect(person('dora', 'admin'), NEW, { lists: true });
    expect((await verbsOf(first)).slice(-1)).toEqual(['mcp_connection_lists_no_more']);
    expect(await scene.connectionOf(first)).toMatchObject({ state: 'connected', lists: false });
  });
});

describe('a person who is forgotten', () => {
  it('has no connection any more, by whichever name, and its rows say not whose they were', async () => {
    const resource = await registered();
    const pseudonym = newId('person');
    const named = { ...ann, caller: { ...ann.caller, person: pseudonym } };
    const [connected, bob] = [await connect(named), await connect(person('bob'))];
    const asked = (await ask(ann)).connection_id;
    const before = [await rowOf(connected), await rowOf(asked)];
    const caller = requestBy(scene.admin());
    await manage.recordChange.run({ ...caller, verb: 'person_forgotten', subject: pseudonym });
    const [forgotten, ...ends] = (await scene.changes()).slice(-3);
    expect(forgotten).toEqual(['person_forgotten', pseudonym]);
    // Their order is the database's.
    expect(ends.toSorted()).toEqual([connected, asked].sort().map((id) => ['mcp_connection_ended', id]));
    expect(await statusOf(ann, resource)).toBe('no_person');
    expect(await rowOf(asked)).toMatchObject({ state: 'failed', person: null });
    expect((await rowOf(asked))['subject_hash']).not.toEqual(before[1]?.['subject_hash']);
    // Its tokens are sealed for its person until they are revoked.
    expect(await rowOf(connected)).toMatchObject({ state: 'ended', person: pseudonym });
    const work = await claimedWork();
    expect(await secretsOf(work)).toMatchObject({ refresh_token: 'marker-refresh-1' });
    expect(await report(work, {})).toBe(true);
    expect(await rowOf(connected)).toMatchObject({ state: 'ended', person: null, sealed: null, forgotten: false });
    expect((await rowOf(connected))['subject_hash']).not.toEqual(before[0]?.['subject_hash']);
    expect(await rowOf(bob)).toMatchObject({ state: 'connected' });
  });
});
