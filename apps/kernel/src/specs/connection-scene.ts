// SPDX-License-Identifier: Apache-2.0
import { createHash, randomBytes } from 'node:crypto';
import type { Caller, McpPersonTokens, McpTokenClaim, McpTokenReportRequest } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { consentCodeContext, reportedTokensContext, sealTo, tokenWorkContext } from '@writ/sealing';
import { openKernelSpec, type OpenedKernel } from './kernel-spec.ts';
import { box, executor, mcpScene, SETTINGS } from './mcp-scene.ts';
import type { TestKernel } from './test-kernel.ts';
import { callerOf, requestBy, type TestManagement } from './test-management.ts';
import type { TestTenant } from './test-tenant.ts';

export const ISSUER = 'https://login.outside.example';
export const OAUTH = { client_id: 'writ', scopes: ['issues', 'offline_access'] };
export const OAUTH_SETTINGS = { ...SETTINGS, credential: { oauth: OAUTH } };
export const AUTHORIZATION = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize?tenant=a`,
  resource: SETTINGS.url,
  names_issuer: true,
};
/** The redirect URI of a server. */
export const redirectOf = (resource_id: string): string => `https://writ.example/connect/done/${resource_id}`;
export const TOKENS: McpPersonTokens = {
  access_token: 'marker-access-1',
  refresh_token: 'marker-refresh-1',
  expires_in: 3_600,
  scopes: null,
};

/** A person with one OAuth credential, in one browser session. */
export interface Person {
  readonly caller: Caller;
  readonly subject_hash: string;
  readonly session_hash: string;
}
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

interface Scene {
  readonly kernel: TestKernel;
  readonly manage: TestManagement;
  readonly tenant: TestTenant;
}

/**
 * Opens a kernel before the specs of a file about connections, and gives each spec a tenant of its own.
 * @param opened receives both, and prepares what the specs share
 */
export function openConnectionSpec(opened: (on: OpenedKernel, tenant: TestTenant) => void | Promise<void>) {
  let on: OpenedKernel;
  let tenant: TestTenant;
  openKernelSpec((all) => {
    on = all;
  });
  beforeEach(async () => {
    // Claims cross tenants: what other tests left would be claimed here.
    await on.kernel.admin.query('UPDATE kernel.mcp_server SET due_at = 9e15');
    await on.kernel.admin.query('UPDATE kernel.mcp_connection SET due_at = 9e15 WHERE work IS NOT NULL');
    tenant = await on.kernel.newTenant();
    await opened(on, tenant);
  });
  const scene = connectionScene(() => ({ kernel: on.kernel, manage: on.manage, tenant }));
  /** From now on, the scene is of another tenant. */
  const enter = (other: TestTenant): TestTenant => (tenant = other);
  return { ...scene, enter };
}

/** What persons, their browsers and executors do with the server `github` of a tenant. */
export function connectionScene(on: () => Scene) {
  const mcp = mcpScene(on);
  const person = (name: string, role: Caller['role'] = 'operator'): Person => ({
    caller: callerOf(on().tenant.tenantId, role),
    subject_hash: hashOf(`${on().tenant.tenantId} ${name}`),
    session_hash: hashOf(`session of ${name}`),
  });
  /** Registers the server, and reports its authorization server. */
  async function registered(settings: Record<string, unknown> = OAUTH_SETTINGS): Promise<string> {
    const { resource_id } = await mcp.register(settings);
    await found();
    return resource_id;
  }
  async function found(authorization = AUTHORIZATION): Promise<void> {
    const problem = { code: 'mcp.consent_required' as const, message: 'nobody lists' };
    const report = { ...mcp.ended(await mcp.claimed()), about: null, listing: null, problem, authorization };
    expect(await on().manage.mcpListings.report(report)).toBe(true);
  }
  const ask = async ({ caller, subject_hash }: Person, more: { lists?: boolean; server?: string } = {}) =>
    await on().manage.mcpConnections.ask({
      ...requestBy(caller),
      server: 'github',
      subject_hash,
      credentials: [caller.api_key_id],
      ...more,
    });
  const resourceOf = async (handle: string): Promise<string> =>
    (await on().manage.mcpConsents.look({ v: 1, handle, subject_hash: null })).resource_id;
  const confirm = async (handle: string, { caller, subject_hash, session_hash }: Person, redirect_uri?: string) =>
    await on().manage.mcpConsents.confirm({
      v: 1,
      handle,
      subject_hash,
      session_hash,
      redirect_uri: redirect_uri ?? redirectOf(await resourceOf(handle)),
      credentials: [caller.api_key_id],
    });
  const stateIn = (authorizeUrl: string): string => new URL(authorizeUrl).searchParams.get('state') ?? '';
  /** The server of the consent that is out with this state; any id where there is none. */
  async function resourceOfState(state: string): Promise<string> {
    const { rows } = await on().kernel.admin.query<{ resource_id: string }>(
      'SELECT resource_id FROM kernel.mcp_connection WHERE state_hash = $1',
      [createHash('sha256').update(state).digest()],
    );
    return rows[0]?.resource_id ?? newId('resource');
  }
  async function callback(
    state: string,
    { session_hash }: Pick<Person, 'session_hash'>,
    more: { iss?: string | null; error?: string; resource_id?: string } = {},
  ) {
    const { iss = ISSUER, error = null, resource_id = await resourceOfState(state) } = more;
    const key = Buffer.from((await on().manage.mcpConsents.key()).public_key, 'base64');
    const code = (await sealTo(key, Buffer.from('marker-code'), consentCodeContext(state))).toString('base64');
    const answer = { state, session_hash, resource_id, iss, error, code: error === null ? code : null };
    return await on().manage.mcpConsents.callback({ v: 1, ...answer });
  }
  const claimWork = async (by = executor) =>
    await on().manage.tokenWork.claim({
      v: 1,
      executor_id: by,
      public_key: (await box.publicKey()).toString('base64'),
    });
  async function claimedWork(by = executor): Promise<McpTokenClaim> {
    const claim = await claimWork(by);
    if (claim === null) throw new Error('no work is due');
    return claim;
  }
  /** What is sealed to the executor, in clear. */
  async function secretsOf({ tenant_id, connection_id, claim, sealed }: McpTokenClaim) {
    const opened = Object.entries(sealed).map(async ([name, value]) => {
      const context = tokenWorkContext(tenant_id, connection_id, claim, name);
      return [name, (await box.open(Buffer.from(value, 'base64'), context)).toString()] as const;
    });
    return Object.fromEntries(await Promise.all(opened));
  }
  async function report(
    { tenant_id, connection_id, claim, report_key }: McpTokenClaim,
    what: { tokens?: McpPersonTokens } & Partial<Pick<McpTokenReportRequest, 'problem' | 'final'>>,
    executor_id = executor,
  ): Promise<boolean> {
    const context = reportedTokensContext(tenant_id, connection_id, claim);
    const bytes = Buffer.from(JSON.stringify(what.tokens ?? null));
    const sealed = what.tokens === undefined ? null : await sealTo(Buffer.from(report_key, 'base64'), bytes, context);
    const { problem = null, final = false } = what;
    const of = { executor_id, tenant_id, connection_id, claim };
    return await on().manage.tokenWork.report({
      v: 1,
      ...of,
      tokens: sealed?.toString('base64') ?? null,
      problem,
      final,
    });
  }
  /** A person goes through the whole of a consent. Resolves with the id of the connection. */
  async function connect(who: Person, tokens = TOKENS, more: { lists?: boolean } = {}): Promise<string> {
    const { handle, connection_id } = await ask(who, more);
    const { authorize_url } = await confirm(handle, who);
    await callback(stateIn(authorize_url), who);
    const work = await claimedWork();
    expect(work).toMatchObject({ connection_id, work: 'exchange' });
    expect(await report(work, { tokens })).toBe(true);
    return connection_id;
  }
  const connectionOf = async (connection_id: string, caller = mcp.admin()) =>
    await on().manage.mcpConnections.read({ ...requestBy(caller), connection_id });
  /** Columns of its row. */
  async function rowOf(connection_id: string): Promise<Record<string, unknown>> {
    const { rows } = await on().kernel.admin.query<Record<string, unknown>>(
      'SELECT * FROM kernel.mcp_connection WHERE connection_id = $1',
      [connection_id],
    );
    return rows[0] ?? {};
  }
  /** Lets time pass for its access token, which came an hour ago. */
  const expireIn = async (connection_id: string, ms: number) =>
    await on().kernel.admin.query(
      'UPDATE kernel.mcp_connection SET access_expires_at = kernel.now_ms() + $2, renewed_at = kernel.now_ms() - 3600000 WHERE connection_id = $1',
      [connection_id, ms],
    );
  return {
    ...mcp,
    person,
    registered,
    found,
    ask,
    confirm,
    stateIn,
    callback,
    claimWork,
    claimedWork,
    secretsOf,
    report,
    connect,
    connectionOf,
    rowOf,
    expireIn,
    otherExecutor: newId('executor'),
    random: () => randomBytes(32).toString('base64url'),
  };
}
