// SPDX-License-Identifier: Apache-2.0
// Tokens of connections: how executors renew and revoke them, one at a time.
import { openConnectionSpec, OAUTH_SETTINGS, TOKENS, type Person } from '../../specs/connection-scene.ts';
import { executor, LOOK } from '../../specs/mcp-scene.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { refusalOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';

let kernel: TestKernel;
let manage: TestManagement;
let tenant: TestTenant;
let ann: Person;
let resource: string;
const scene = openConnectionSpec(async (on, of) => {
  ({ kernel, manage } = on);
  tenant = of;
  ann = person('ann');
  resource = await registered();
});
const { person, registered, connect, claimWork, claimedWork, secretsOf, report, rowOf, connectionOf, expireIn } = scene;
/** What a call of the person gets. */
const tokenOf = async ({ caller }: Person) =>
  await kernelSql.mcpToken(kernel.tenants.pool, { tenant: tenant.tenantId, key: caller.api_key_id, resource });
const statusOf = async (who: Person) => (await tokenOf(who)).status;
const NEW = { ...TOKENS, access_token: 'marker-access-2', refresh_token: 'marker-refresh-2' };
const refused = (message = 'invalid_grant') => ({ code: 'mcp.consent_required' as const, message });
const down = { code: 'mcp.token_unavailable' as const, message: 'it does not answer\0' };
const passRetry = (id: string) =>
  kernel.admin.query('UPDATE kernel.mcp_connection SET due_at = 0 WHERE connection_id = $1 AND work IS NOT NULL', [id]);

describe('an access token', () => {
  it('is renewed once for all calls, by one of two executors that ask at the same time', async () => {
    const id = await connect(ann);
    expect(await statusOf(ann)).toBe('ready');
    await expireIn(id, 20_000);
    expect(await Promise.all(Array.from({ length: 8 }, () => statusOf(ann)))).toEqual(Array(8).fill('waits'));
    const claims = await Promise.all(
      [executor, scene.otherExecutor, executor, scene.otherExecutor].map((by) => claimWork(by)),
    );
    expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
    const [work] = claims.filter((claim) => claim !== null);
    expect(work).toMatchObject({ connection_id: id, work: 'refresh', claim: 2 });
    expect(await secretsOf(work!)).toEqual({ refresh_token: 'marker-refresh-1' });
  });

  it('is renewed ahead of its end while calls still use it, and by two minutes at most', async () => {
    const id = await connect(ann);
    await expireIn(id, 125_000);
    expect(await statusOf(ann)).toBe('ready');
    expect(await claimWork()).toBeNull();
    await expireIn(id, 110_000);
    expect(await statusOf(ann)).toBe('ready');
    expect(await claimWork()).toMatchObject({ work: 'refresh' });
    expect(await statusOf(ann)).toBe('ready');
  });

  it('gets the refresh token that came with it, or keeps the one of before', async () => {
    const id = await connect(ann);
    await expireIn(id, 0);
    await statusOf(ann);
    expect(await report(await claimedWork(), { tokens: NEW })).toBe(true);
    expect(await statusOf(ann)).toBe('ready');
    await expireIn(id, 0);
    await statusOf(ann);
    const second = await claimedWork();
    expect(await secretsOf(second)).toEqual({ refresh_token: 'marker-refresh-2' });
    expect(await report(second, { tokens: { ...NEW, refresh_token: null, scopes: ['issues'] } })).toBe(true);
    await expireIn(id, 0);
    await statusOf(ann);
    expect(await secretsOf(await claimedWork())).toEqual({ refresh_token: 'marker-refresh-2' });
    expect((await connectionOf(id)).scopes).toEqual(['issues']);
  });

  it('whose renewal was lost with its executor is tried again with the same refresh token, and the late report is fenced', async () => {
    const id = await connect(ann);
    await expireIn(id, 0);
    await statusOf(ann);
    const lost = await claimedWork();
    expect(await claimWork(scene.otherExecutor)).toBeNull();
    await kernel.admin.query('UPDATE kernel.mcp_connection SET claim_until = 0 WHERE connection_id = $1', [id]);
    const again = await claimedWork(scene.otherExecutor);
    expect(again.claim).toBe(lost.claim + 1);
    expect(await secretsOf(again)).toEqual({ refresh_token: 'marker-refresh-1' });
    expect(await report(lost, { tokens: NEW })).toBe(false);
    expect(await report(again, { problem: refused(), final: true }, scene.otherExecutor)).toBe(true);
    expect(await statusOf(ann)).toBe('no_connection');
    expect(await rowOf(id)).toMatchObject({ state: 'ended', sealed: null, work: null });
    expect((await scene.changes()).slice(-1)).toEqual([['mcp_connection_ended', id]]);
  });

  it('that can not be renewed for now is tried again with pauses, and calls are refused meanwhile', async () => {
    const id = await connect(ann);
    await expireIn(id, 0);
    expect(await statusOf(ann)).toBe('waits');
    const pauses: number[] = [];
    for (let n = 0; n < 8; n += 1) {
      expect(await report(await claimedWork(), { problem: down })).toBe(true);
      expect(await statusOf(ann)).toBe('unavailable');
      const { due_at, tried_at } = await rowOf(id);
      pauses.push(Number(due_at) - Number(tried_at));
      await passRetry(id);
    }
    expect(pauses.slice(0, 3)).toEqual([2_000, 4_000, 8_000]);
    expect(await rowOf(id)).toMatchObject({ work: null, state: 'connected' });
    expect((await connectionOf(id)).problem).toEqual({ ...down, message: 'it does not answer' });
    expect((await scene.changes()).filter(([verb]) => verb === 'mcp_connection_refresh_failed')).toHaveLength(1);
    // A call a minute later asks for it anew.
    await kernel.admin.query('UPDATE kernel.mcp_connection SET tried_at = 0 WHERE connection_id = $1', [id]);
    await statusOf(ann);
    expect(await report(await claimedWork(), { tokens: NEW })).toBe(true);
    expect(await statusOf(ann)).toBe('ready');
    expect(await connectionOf(id)).toMatchObject({ problem: null });
  });

  it('that nobody renews in 45 seconds makes no call wait longer', async () => {
    const id = await connect(ann);
    await expireIn(id, 0);
    expect(await statusOf(ann)).toBe('waits');
    await kernel.admin.query('UPDATE kernel.mcp_connection SET asked_at = 1 WHERE connection_id = $1', [id]);
    expect(await statusOf(ann)).toBe('unavailable');
  });

  it('without a refresh token is good for its time', async () => {
    const id = await connect(ann, { ...TOKENS, refresh_token: null });
    expect(await statusOf(ann)).toBe('ready');
    await expireIn(id, 1_000);
    expect(await statusOf(ann)).toBe('ready');
    await expireIn(id, 0);
    expect(await statusOf(ann)).toBe('no_connection');
    expect(await claimWork()).toBeNull();
  });

  it('opens for its person and connection alone, and a report has it for its claim alone', async () => {
    const [mine, other] = [await connect(ann), await connect(person('bob'))];
    await kernel.admin.query(
      'UPDATE kernel.mcp_connection SET sealed = (SELECT sealed FROM kernel.mcp_connection WHERE connection_id = $2) WHERE connection_id = $1',
      [mine, other],
    );
    await expireIn(mine, 0);
    await statusOf(ann);
    await expect(claimWork()).rejects.toThrow();
    await kernel.admin.query('UPDATE kernel.mcp_connection SET due_at = 9e15 WHERE connection_id = $1', [mine]);
    await expireIn(other, 0);
    await statusOf(person('bob'));
  });

  it('in a report that is sealed for another claim, or is no token, is refused without quoting it', async () => {
    const id = await connect(ann);
    await expireIn(id, 0);
    await statusOf(ann);
    const work = await claimedWork();
    for (const tokens of [{ ...NEW, access_token: 'marker with spaces' }, { ...NEW, more: 'marker' } as typeof NEW]) {
      const { code, message } = await refusalOf(report(work, { tokens }));
      expect(code).toBe('request.malformed');
      expect(message).not.toContain('marker');
    }
    const moved = { ...work, claim: work.claim + 1 };
    expect(await report(moved, { tokens: NEW })).toBe(false);
    expect(await report(work, { tokens: NEW })).toBe(true);
  });
});

describe('a connection', () => {
  it('that a person makes anew replaces the one of before, whose tokens are revoked', async () => {
    const first = await connect(ann);
    const second = await connect(ann, NEW);
    expect([(await connectionOf(first)).state, (await connectionOf(second)).state]).toEqual(['ended', 'connected']);
    const work = await claimedWork();
    expect(work).toMatchObject({ connection_id: first, work: 'revoke' });
    expect(await secretsOf(work)).toEqual({ refresh_token: 'marker-refresh-1', access_token: 'marker-access-1' });
    expect(await report(work, {})).toBe(true);
    expect(await rowOf(first)).toMatchObject({ sealed: null, work: null });
    expect(await claimWork()).toBeNull();
  });

  it('that ends while an executor renews it fences the renewal', async () => {
    const id = await connect(ann);
    await expireIn(id, 0);
    await statusOf(ann);
    const work = await claimedWork();
    await manage.mcpConnections.end({ ...requestBy(ann.caller), connection_id: id });
    expect(await report(work, { tokens: NEW })).toBe(false);
    expect(await statusOf(ann)).toBe('no_connection');
    expect(await claimedWork()).toMatchObject({ work: 'revoke' });
  });

  it('that can not be revoked is given up after six tries, and then forgotten', async () => {
    const id = await connect(ann);
    await manage.mcpConnections.end({ ...requestBy(ann.caller), connection_id: id });
    for (let n = 0; n < 6; n += 1) {
      expect((await rowOf(id)).sealed).not.toBeNull();
      expect(await report(await claimedWork(), { problem: down })).toBe(true);
      await passRetry(id);
    }
    expect(await rowOf(id)).toMatchObject({ sealed: null, work: null, state: 'ended' });
  });

  it('is seen and ended by its person and by administrators, and by nobody else', async () => {
    const id = await connect(ann);
    const [bob, admin] = [person('bob').caller, scene.admin()];
    const list = async (caller: Person['caller']) =>
      (
        await manage.mcpConnections.list({ ...requestBy(caller), page: { cursor: null, limit: 9 }, server: 'github' })
      ).items.map(({ connection_id, own }) => [connection_id, own]);
    expect(await list(ann.caller)).toEqual([[id, true]]);
    expect(await list(admin)).toEqual([[id, false]]);
    expect(await list(bob)).toEqual([]);
    const foreign = scene.admin(await kernel.newTenant());
    for (const refused of [
      () => manage.mcpConnections.read({ ...requestBy(bob), connection_id: id }),
      () => manage.mcpConnections.end({ ...requestBy(bob), connection_id: id }),
      () => manage.mcpConnections.end({ ...requestBy(bob), connection_id: 'con_nothing' }),
      () => manage.mcpConnections.read({ ...requestBy(foreign), connection_id: id }),
    ])
      expect(await refusalOf(refused())).toEqual({
        code: 'not_found',
        message: 'there is no such thing here',
        detail: undefined,
        pointer: undefined,
      });
    expect(await manage.mcpConnections.end({ ...requestBy(admin), connection_id: id })).toMatchObject({
      state: 'ended',
    });
    expect(await manage.mcpConnections.end({ ...requestBy(ann.caller), connection_id: id })).toMatchObject({
      state: 'ended',
      problem: null,
    });
    expect((await scene.changes()).filter(([verb]) => verb === 'mcp_connection_ended')).toHaveLength(1);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['removed', () => manage.resources.remove({ ...requestBy(scene.admin()), resource_id: resource })],
    ['at another address', () => update({ url: 'https://other.outside.example/mcp' })],
    ['another client', () => update({ credential: { oauth: { client_id: 'other', scopes: [] } } })],
  ])('ends in the transaction by which its server is %s', async (_what, change) => {
    const [mine, other] = [await connect(ann), await connect(person('bob'))];
    await change();
    expect(await statusOf(ann)).toBe('no_connection');
    expect([await rowOf(mine), await rowOf(other)]).toMatchObject([{ state: 'ended' }, { state: 'ended' }]);
    expect((await scene.changes()).filter(([verb]) => verb === 'mcp_connections_ended')).toEqual([
      ['mcp_connections_ended', 'mcp_server:github'],
    ]);
    expect([await claimedWork(), await claimedWork()]).toMatchObject([{ work: 'revoke' }, { work: 'revoke' }]);
  });
  const update = async (more: object) =>
    await manage.resources.update({
      ...requestBy(scene.admin()),
      resource_id: resource,
      settings: { ...OAUTH_SETTINGS, ...more },
      expected_version: 1,
    });

  it('stays where other settings of its server change', async () => {
    await connect(ann);
    await update({ calls_max: 2 });
    expect(await statusOf(ann)).toBe('ready');
  });

  it('ends with the revocation of any credential of its person, with the records of both', async () => {
    const id = await connect(ann);
    const api_key_id = scene.admin().api_key_id;
    await manage.recordChange.run({
      ...requestBy(scene.admin()),
      verb: 'oauth_credential_created',
      subject: api_key_id,
      subject_hash: ann.subject_hash,
    });
    expect(await statusOf({ ...ann, caller: { ...ann.caller, api_key_id } })).toBe('ready');
    await manage.revokeKey.run({ ...requestBy(scene.admin()), api_key_id });
    expect((await scene.changes()).slice(-2)).toEqual([
      ['api_key_revoked', api_key_id],
      ['mcp_connection_ended', id],
    ]);
    expect(await statusOf(ann)).toBe('no_connection');
  });

  it('lists the tools of its server with the rights of one administrator', async () => {
    const [carol, dora] = [person('carol', 'admin'), person('dora', 'admin')];
    const view = () => manage.mcpServers.read({ ...requestBy(scene.admin()), name: 'github', every_kind: true });
    const first = await connect(carol, TOKENS, { lists: true });
    expect((await view()).oauth?.listed_by).toBe(first);
    const due = await scene.claimed();
    expect(JSON.stringify(due)).not.toContain('marker');
    expect(Object.keys(due.sealed)).toEqual(['resource:person-token']);
    expect(await scene.reportTools(due, [LOOK])).toBe(true);
    const second = await connect(dora, TOKENS, { lists: true });
    expect((await view()).oauth?.listed_by).toBe(second);
    expect(await connectionOf(first)).toMatchObject({ state: 'connected', lists: false });
    await expireIn(second, 0);
    // The token is renewed first, and the listing waits for that.
    expect(await scene.claim()).toBeNull();
    expect(await claimedWork()).toMatchObject({ connection_id: second, work: 'refresh' });
  });

  it('of a tenant with much work leaves turns to other tenants, and four are under way at a time', async () => {
    for (let n = 0; n < 6; n += 1) {
      const id = await connect(person(`p${String(n)}`));
      await manage.mcpConnections.end({ ...requestBy(scene.admin()), connection_id: id });
    }
    const first = tenant.tenantId;
    const mine = [await claimWork(), await claimWork()];
    tenant = scene.enter(await kernel.newTenant());
    await registered();
    await manage.mcpConnections.end({ ...requestBy(scene.admin()), connection_id: await connect(person('x')) });
    const rest = [await claimWork(), await claimWork(), await claimWork(), await claimWork()];
    expect([...mine, ...rest].map((work) => work?.tenant_id)).toEqual([
      first,
      first,
      first,
      tenant.tenantId,
      first,
      undefined,
    ]);
  });
});
