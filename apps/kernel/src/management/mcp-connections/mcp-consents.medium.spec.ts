// SPDX-License-Identifier: Apache-2.0
// Consents of persons to MCP servers: who may give one, in which browser, and how often.
import {
  AUTHORIZATION,
  openConnectionSpec,
  ISSUER,
  OAUTH,
  OAUTH_SETTINGS,
  redirectOf,
  TOKENS,
  type Person,
} from '../../specs/connection-scene.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { callerOf, refusalOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let manage: TestManagement;
let tenant: TestTenant;
let ann: Person;
let bob: Person;
const scene = openConnectionSpec((on, of) => {
  ({ kernel, manage } = on);
  tenant = of;
  ann = person('ann');
  bob = person('bob');
});
const { person, registered, ask, confirm, stateIn, callback, claimWork, claimedWork, secretsOf, report } = scene;

describe('a consent', () => {
  it('leads from the question to a connection, with a record of each step, and nothing in clear', async () => {
    const resource_id = await registered();
    const { handle, connection_id, expires_at } = await ask(ann);
    const looked = await manage.mcpConsents.look({ v: 1, handle, subject_hash: ann.subject_hash });
    expect(looked).toEqual({
      tenant_id: tenant.tenantId,
      tenant_name: expect.stringMatching(/./),
      connection_id,
      resource_id,
      server: 'github',
      at: 'mcp.outside.example',
      issuer: ISSUER,
      place: 'login.outside.example',
      scopes: ['issues', 'offline_access'],
      lists: false,
      state: 'asked',
      yours: true,
      expires_at,
    });
    const url = new URL((await confirm(handle, ann)).authorize_url);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      tenant: 'a',
      response_type: 'code',
      client_id: 'writ',
      redirect_uri: redirectOf(resource_id),
      scope: 'issues offline_access',
      code_challenge_method: 'S256',
      resource: 'https://mcp.outside.example/mcp',
    });
    expect(await callback(stateIn(url.href), ann)).toMatchObject({ state: 'exchanging', server: 'github' });
    const work = await claimedWork();
    expect(work).toMatchObject({
      work: 'exchange',
      issuer: ISSUER,
      client_id: 'writ',
      redirect_uri: redirectOf(resource_id),
    });
    const { verifier = '', ...secrets } = await secretsOf(work);
    expect(secrets).toEqual({ code: 'marker-code' });
    const { createHash } = await import('node:crypto');
    expect(createHash('sha256').update(verifier).digest('base64url')).toBe(url.searchParams.get('code_challenge'));
    expect(await report(work, { tokens: TOKENS })).toBe(true);
    const status = { v: 1 as const, connection_id, session_hash: ann.session_hash };
    expect(await manage.mcpConsents.status(status)).toMatchObject({ state: 'connected', problem: null });
    expect((await scene.changes()).filter(([verb]) => verb?.startsWith('mcp_connection'))).toEqual(
      ['asked', 'confirmed', 'connected'].map((step) => [`mcp_connection_${step}`, connection_id]),
    );
    const stored = JSON.stringify([await scene.rowOf(connection_id), await tenant.records(), work]);
    for (const secret of ['marker', handle, stateIn(url.href), verifier]) {
      expect(stored).not.toContain(secret);
      expect(stored).not.toContain(Buffer.from(secret).toString('hex'));
    }
  });

  it('is asked for by a credential of the person alone, and to list tools by an administrator alone', async () => {
    await registered();
    await ask(ann);
    const lent = { ...bob, caller: ann.caller };
    expect(await refusalOf(ask(lent))).toMatchObject({ code: 'auth.invalid' });
    expect(await refusalOf(ask(ann, { lists: true }))).toMatchObject({ code: 'auth.role' });
    expect(await ask(person('carol', 'admin'), { lists: true })).toMatchObject({ connection_id: expect.any(String) });
  });

  it('is refused for a server that takes no persons, is unknown, or whose authorization server is', async () => {
    await scene.register();
    expect(await refusalOf(ask(ann))).toMatchObject({ code: 'conflict' });
    expect(await refusalOf(ask(ann, { server: 'nothing\0' }))).toMatchObject({ code: 'not_found' });
    await scene.register(OAUTH_SETTINGS, 'other');
    expect(await refusalOf(ask(ann, { server: 'other' }))).toMatchObject({ code: 'overloaded' });
    const agent = { ...ann, caller: callerOf(tenant.tenantId, 'agent', tenant.agentId) };
    expect(await refusalOf(ask(agent, { server: 'other' }))).toMatchObject({ code: 'not_found' });
  });

  it('of which a person has eight under way is asked for no ninth time', async () => {
    await registered();
    for (let n = 0; n < 8; n += 1) await ask(ann);
    expect(await refusalOf(ask(ann))).toMatchObject({ code: 'conflict' });
    await ask(bob);
  });

  it('is confirmed by nobody but the person who asked, who is told so before', async () => {
    await registered();
    const { handle } = await ask(ann);
    const look = { v: 1 as const, handle, subject_hash: bob.subject_hash };
    expect(await manage.mcpConsents.look(look)).toMatchObject({ yours: false });
    expect(await refusalOf(confirm(handle, bob))).toMatchObject({ code: 'mcp.consent_not_yours' });
    expect(await manage.mcpConsents.look(look)).toMatchObject({ state: 'asked' });
  });

  it('counts in the browser session that confirmed it, and once for each state', async () => {
    await registered();
    const { handle, connection_id } = await ask(ann);
    const first = stateIn((await confirm(handle, ann)).authorize_url);
    const second = stateIn((await confirm(handle, ann)).authorize_url);
    const other = { session_hash: bob.session_hash };
    const answers = [
      await refusalOf(callback(second, other)),
      await refusalOf(callback(first, ann)),
      await refusalOf(callback(scene.random(), ann)),
    ];
    expect(await callback(second, ann)).toMatchObject({ state: 'exchanging' });
    answers.push(await refusalOf(callback(second, ann)));
    const status = { v: 1 as const, connection_id, session_hash: other.session_hash };
    answers.push(await refusalOf(manage.mcpConsents.status(status)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ code: 'not_found' });
    expect(await refusalOf(confirm(handle, ann))).toMatchObject({ code: 'conflict' });
  });

  it('counts at the redirect URI of its own server, and an answer that came to another one uses up nothing', async () => {
    const resource_id = await registered();
    const { handle } = await ask(ann);
    const { resource_id: other } = await scene.register(OAUTH_SETTINGS, 'other');
    expect(await refusalOf(confirm(handle, ann, redirectOf(other)))).toMatchObject({ code: 'request.malformed' });
    expect(await refusalOf(confirm(handle, ann, 'no URL'))).toMatchObject({ code: 'request.malformed' });
    const state = stateIn((await confirm(handle, ann)).authorize_url);
    const unknown = await refusalOf(callback(scene.random(), ann));
    expect(await refusalOf(callback(state, ann, { resource_id: other }))).toEqual(unknown);
    expect(unknown).toMatchObject({ code: 'not_found' });
    const unsaid = { v: 1 as const, state, session_hash: ann.session_hash, iss: ISSUER, code: null, error: 'x' };
    expect(await refusalOf(manage.mcpConsents.callback(unsaid))).toEqual(unknown);
    expect(await claimWork()).toBeNull();
    expect(await callback(state, ann, { resource_id })).toMatchObject({ state: 'exchanging' });
  });

  it('is asked for where persons are sent to the issuer itself, or to one that is named or names itself', async () => {
    const elsewhere = {
      ...AUTHORIZATION,
      authorization_endpoint: 'https://honest.outside.example/a',
      names_issuer: false,
    };
    const mcp_server = await registered();
    const knows = (found: object) =>
      kernel.admin.query('UPDATE kernel.mcp_server SET oauth = $2 WHERE resource_id = $1', [mcp_server, found]);
    await knows(elsewhere);
    expect(await refusalOf(ask(ann))).toMatchObject({ code: 'mcp.authorization_unusable' });
    await knows({ ...elsewhere, names_issuer: true });
    await ask(ann);
    const named = { oauth: { ...OAUTH, authorization_server: ISSUER } };
    const settings = { ...OAUTH_SETTINGS, credential: named };
    const change = { resource_id: mcp_server, settings, expected_version: 1 };
    await manage.resources.update({ ...requestBy(scene.admin()), ...change });
    await knows(elsewhere);
    await ask(bob);
  });

  it('whose one state comes ten times at once is answered once', async () => {
    await registered();
    const { handle } = await ask(ann);
    const state = stateIn((await confirm(handle, ann)).authorize_url);
    const answers = await Promise.allSettled(Array.from({ length: 10 }, () => callback(state, ann)));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await claimWork()).toMatchObject({ work: 'exchange' });
    expect(await claimWork()).toBeNull();
  });

  it.each([
    ['of another issuer', { iss: 'https://evil.example' }, 'another authorization server'],
    ['without an issuer, where it always names one', { iss: null }, 'another authorization server'],
    ['of the person, who refused', { error: 'access_denied' }, '(`access_denied`)'],
    ['with an error that is no code', { error: '<script>' }, 'refused'],
  ])('fails by an answer %s, and nothing is exchanged', async (_what, answer, words) => {
    await registered();
    const { handle, connection_id } = await ask(ann);
    const state = stateIn((await confirm(handle, ann)).authorize_url);
    const failed = await callback(state, ann, answer);
    expect(failed).toMatchObject({ state: 'failed', problem: { code: 'mcp.consent_failed' } });
    expect(failed.problem?.message).toContain(words);
    expect(failed.problem?.message).not.toContain('script');
    expect(await claimWork()).toBeNull();
    expect(await scene.rowOf(connection_id)).toMatchObject({ sealed: null, state_hash: null });
  });

  it('is over after ten minutes, wherever it is, and forgotten later', async () => {
    const resource_id = await registered();
    const { handle, connection_id } = await ask(ann);
    const state = stateIn((await confirm(handle, ann)).authorize_url);
    const pass = (ms: number) =>
      kernel.admin.query(
        'UPDATE kernel.mcp_connection SET expires_at = kernel.now_ms() - $2 WHERE connection_id = $1',
        [connection_id, ms],
      );
    await pass(1);
    for (const late of [
      () => manage.mcpConsents.look({ v: 1, handle, subject_hash: null }),
      () => confirm(handle, ann, redirectOf(resource_id)),
      () => callback(state, ann),
    ])
      expect(await refusalOf(late())).toMatchObject({ code: 'not_found' });
    await manage.tokenWork.sweep();
    expect(await scene.rowOf(connection_id)).not.toEqual({});
    await pass(3_600_001);
    await manage.tokenWork.sweep();
    expect(await scene.rowOf(connection_id)).toEqual({});
  });

  it('ends with the revocation of a credential of the person, in one transaction', async () => {
    await registered();
    const { handle, connection_id } = await ask(ann);
    await confirm(handle, ann);
    const { api_key_id } = ann.caller;
    await manage.revokeKey.run({ ...requestBy(scene.admin()), api_key_id });
    expect(await scene.connectionOf(connection_id)).toMatchObject({
      state: 'failed',
      problem: { code: 'key.revoked' },
    });
    expect(await refusalOf(confirm(handle, ann))).toMatchObject({ code: 'conflict' });
    expect(await refusalOf(ask(ann))).toMatchObject({ code: 'auth.invalid' });
  });

  it('that is under way while a credential of its person is revoked is over, whichever comes first', async () => {
    await registered();
    const { handle } = await ask(ann);
    const state = stateIn((await confirm(handle, ann)).authorize_url);
    const { handle: second } = await ask(ann);
    const { api_key_id } = ann.caller;
    await Promise.allSettled([
      ask(ann),
      confirm(second, ann),
      manage.revokeKey.run({ ...requestBy(scene.admin()), api_key_id }),
      callback(state, ann),
      ask(ann),
    ]);
    const open = await kernel.admin.query(
      "SELECT FROM kernel.mcp_connection WHERE tenant_id = $1 AND state NOT IN ('failed', 'ended')",
      [tenant.tenantId],
    );
    expect(open.rowCount).toBe(0);
    const linked = await kernel.admin.query('SELECT FROM kernel.credential_subject WHERE api_key_id = $1', [
      api_key_id,
    ]);
    expect(linked.rowCount).toBe(0);
    expect(await claimWork()).toBeNull();
  });

  it('keeps the first authorization server of its server, until an administrator changes the settings', async () => {
    const resource_id = await registered();
    const view = () => manage.mcpServers.read({ ...requestBy(scene.admin()), name: 'github', every_kind: true });
    const refresh = () => manage.mcpServers.refresh({ ...requestBy(scene.admin()), name: 'github', every_kind: true });
    const other = { ...OAUTH_SETTINGS, calls_max: 3 };
    await refresh();
    const evil = { issuer: 'https://evil.example', authorization_endpoint: 'https://evil.example/a' };
    await scene.found({ resource: OAUTH_SETTINGS.url, names_issuer: false, ...evil });
    expect(await view()).toMatchObject({
      problem: { code: 'mcp.authorization_unusable' },
      oauth: { client_id: 'writ', issuer: ISSUER, listed_by: null },
    });
    await manage.resources.update({ ...requestBy(scene.admin()), resource_id, settings: other, expected_version: 1 });
    expect(await view()).toMatchObject({ oauth: { issuer: ISSUER } });
    const named = { oauth: { client_id: 'writ', scopes: [], authorization_server: evil.issuer } };
    const settings = { ...other, credential: named };
    await manage.resources.update({ ...requestBy(scene.admin()), resource_id, settings, expected_version: 2 });
    expect(await view()).toMatchObject({ oauth: { issuer: null } });
    await scene.found({ resource: OAUTH_SETTINGS.url, names_issuer: false, ...evil });
    expect(await view()).toMatchObject({ oauth: { issuer: evil.issuer } });
  });
});
