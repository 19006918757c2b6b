// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import { keyidOf, parseSigner, type PublicJwk } from '@writ/signing';
import { eventually, RECORDED_MODEL, type JsonValue, type World } from '@writ/stack';
import type { Named } from './openapi.ts';

/** The address of a test's webhooks: a port on loopback where nothing listens. */
export const UNUSED_URL = 'http://127.0.0.1:9/';

/** A public key whose thumbprint has no `_`, by which ids are recognised here. */
function registrarKey(): PublicJwk {
  for (;;) {
    const { publicJwk } = parseSigner(
      generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    );
    if (!keyidOf(publicJwk).includes('_')) return publicJwk;
  }
}

/** The id of a connection that isn't there. */
const unusedConnection = (): string =>
  `con_0${Array.from({ length: 25 }, () => String(Math.floor(Math.random() * 7))).join('')}`;

/** One object of each kind of a tenant, by parameter name; and ids of the same kinds that name nothing. */
export interface TenantObjects {
  readonly named: Named;
  readonly nothing: Named;
  readonly keyId: string;
}

/** An id of the same kind that names nothing. */
export function nothingLike(id: string): string {
  const [prefix, body] = [id.slice(0, id.indexOf('_') + 1), id.slice(id.indexOf('_') + 1)];
  return `${prefix}${body.slice(0, -8)}${body
    .slice(-8)
    .split('')
    .map((c) => (c === '7' ? '8' : '7'))
    .join('')}`;
}

/** Creates one object of every kind in the world of a tenant. */
export async function createTenantObjects(world: World, platformKey: string): Promise<TenantObjects> {
  const done = (await world.call('fs.write', { path: 'b.txt', content: world.tenantId })).body;
  const held = (await world.call('shell.run', { command: 'rm -rf deep' })).body;
  const key = await world.admin.must('/v1/api-keys', { name: 'spare', role: 'auditor' });
  const freeze = await world.admin.must('/v1/freezes', { scope: 'tool', id: 'fs.search', reason: 'sample' });
  const gone = (await world.call('fs.read', { path: 'a.txt' })).body;
  const erasure = await world.admin.must('/v1/erasures', { operation_id: gone.operation_id, reason_code: 'sample' });
  const substitute = { name: 'substitute', role: 'operator', principal: 'substitute' };
  const { api_key } = await world.admin.must('/v1/api-keys', substitute);
  // The first request of a person makes the pseudonym.
  await world.admin.as(api_key as string).get('/v1/tools');
  const { person_id } = (await world.admin.get('/v1/persons?principal=substitute')).body;
  const member = await world.admin.must('/v1/members', { name: 'spare' });
  const delegation = await world.admin.must('/v1/approvals/delegations', {
    to: 'substitute',
    note: 'sample',
    expires_at: Date.now() + 3_600_000,
  });
  const { body: budget } = await world.admin.request('PUT', '/v1/budgets', {
    subject: { kind: 'tenant', id: null },
    period: 'month',
    measure: 'calls',
    limit: 1_000_000_000,
  });
  const webhook = await world.admin.must('/v1/webhooks', {
    name: 'spare',
    url: UNUSED_URL,
    events: ['approval.pending'],
  });
  // Slack is never reached: nothing asks for an approval after it is disabled.
  const channel = await world.admin.must('/v1/channels', {
    name: 'spare',
    kind: 'slack',
    slack: { conversation: 'C0123456789', bot_token: 'xoxb-of-no-workspace', api_url: UNUSED_URL },
  });
  await world.admin.request('PATCH', `/v1/channels/${channel.channel_id as string}`, { state: 'disabled' });
  const delivery = await world.admin.must(`/v1/webhooks/${webhook.webhook_id as string}/ping`);
  const sandbox = `of-${world.tenantId.toLowerCase()}`;
  await world.admin.request('PUT', '/v1/sandboxes', { name: sandbox, workspace_id: world.workspaceId });
  const profile = sandbox;
  await world.admin.must('/v1/execution-profiles', {
    name: profile,
    shells: ['Bash'],
    limits: { wall_ms: 1_000, memory_bytes: 64 * 1024 * 1024 },
  });
  const group = sandbox;
  await world.admin.request('PUT', '/v1/approver-groups', { name: group, members: ['substitute'] });
  const skill = sandbox.replaceAll('_', '-');
  await world.admin.must('/v1/skills', {
    files: [{ path: 'SKILL.md', content: `---\nname: ${skill}\ndescription: how to\n---\n` }],
  });
  const provider = skill;
  const issuer = `https://${provider}.example.org`;
  const platform = world.admin.as(platformKey);
  await platform.must(`/v1/tenants/${world.tenantId}/identity-providers`, { name: provider, issuer });
  const { keyid } = await world.admin.must('/v1/registrar-keys', { public_key: registrarKey() });
  const { resource_id } = await world.admin.must('/v1/resources', {
    kind: 'audio_device',
    name: 'spare',
    settings: { retention_seconds: 600, buffer_bytes: 8_388_608, uploader: world.agentId },
  });
  const { resource_grant_id } = (
    await world.admin.request('PUT', '/v1/resource-grants', {
      kind: 'audio_device',
      resource_id,
      right: 'use',
      agent_id: world.agentId,
      clearance: 'autopilot',
    })
  ).body;
  const mcp_server = `of-${world.tenantId.slice(-16).toLowerCase()}`;
  await world.admin.must('/v1/resources', {
    kind: 'mcp_server',
    name: mcp_server,
    settings: { transport: 'http', url: 'https://mcp.invalid/' },
  });
  const image = sandbox.replaceAll('_', '-');
  // No engine has it, so that it fails, and stays.
  await world.admin.must('/v1/images', { name: image, source: { digest: `sha256:${'0'.repeat(64)}` } });
  // One failed delivery: nothing of it changes any more during a test.
  await eventually(
    'an attempt',
    async () =>
      (((await world.admin.get(`/v1/webhooks/${webhook.webhook_id as string}/deliveries`)).body.items as JsonValue[])[0]
        ?.attempts as number) > 0,
  );
  // The preview of the held call may still be listed.
  const session = async (): Promise<JsonValue | undefined> =>
    ((await world.admin.get('/v1/containers')).body.items as JsonValue[]).find(({ kind }) => kind === 'session');
  await world.call('shell.session', { command: 'true' });
  const container = await eventually('a session has a shell', session);
  const talk = await world.agent.must('/v1/sessions', {
    workspace_id: world.workspaceId,
    capability_token_id: world.tokenId,
    model: RECORDED_MODEL,
  });
  const { run_id } = await world.agent.must(`/v1/sessions/${talk.session_id as string}/runs`, { input: 'do it' });
  await eventually(
    'the run ends',
    async () => (await world.admin.get(`/v1/runs/${run_id as string}`)).body.state === 'ended',
  );
  const { job_id } = await world.admin.must('/v1/jobs', {
    name: 'yearly',
    cron: '@yearly',
    workspace_id: world.workspaceId,
    capability_token_id: world.tokenId,
    model: RECORDED_MODEL,
    input: 'do it',
  });
  const named = {
    job_id,
    session_id: talk.session_id,
    run_id,
    container_id: container.container_id,
    sandbox,
    profile,
    group,
    skill,
    provider,
    person_id,
    member_id: member.member_id,
    keyid,
    resource_id,
    resource_grant_id,
    image,
    mcp_server,
    // Only a person with an access token has connections; `mcp-oauth.spec.ts` has some.
    connection_id: unusedConnection(),
    // Only a person who signed in has sessions; `sign-in.spec.ts` has some.
    sign_in_id: unusedConnection().replace('con_', 'sgn_'),
    // Only a tenant with an identity provider has invitations; `invitations.spec.ts` has some.
    invitation_id: unusedConnection().replace('con_', 'inv_'),
    webhook_id: webhook.webhook_id,
    channel_id: channel.channel_id,
    delivery_id: delivery.delivery_id,
    api_key_id: key.api_key_id,
    agent_id: world.agentId,
    operation_id: held.operation_id,
    approval_id: held.approval_id,
    capability_token_id: world.tokenId,
    freeze_id: freeze.freeze_id,
    erasure_id: erasure.erasure_id,
    budget_id: budget.budget_id,
    delegation_id: delegation.delegation_id,
    workspace_id: world.workspaceId,
    path: 'a.txt',
    at: done.new_snapshot_id,
    if_head: done.new_snapshot_id,
    from: done.state_snapshot_id,
    to: done.new_snapshot_id,
  } as Record<string, string>;
  const nothing = Object.fromEntries(
    Object.entries(named).map(([name, id]) => [name, name === 'path' ? id : nothingLike(id)]),
  );
  return { named, nothing, keyId: key.api_key_id as string };
}
