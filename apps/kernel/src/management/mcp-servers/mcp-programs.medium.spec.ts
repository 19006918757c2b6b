// SPDX-License-Identifier: Apache-2.0
// MCP servers that are programs: how they are registered, and who lists them in which image.
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { box, executor, LOOK, mcpScene, SETTINGS } from '../../specs/mcp-scene.ts';
import { credentialsOf, reportOf, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { callerOf, refusalOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
import { grantResource } from '../../specs/test-resources.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

const PROGRAM = { transport: 'stdio', command: ['mcp-files', '--stdio'], env: { ROOT: '/data' } };

let kernel: TestKernel;
let run: TestExecution;
let manage: TestManagement;
let tenant: TestTenant;
openKernelSpec((on) => {
  ({ kernel, run, manage } = on);
});
beforeEach(async () => {
  // Claims cross tenants: what other tests left would be claimed here.
  await kernel.admin.query('UPDATE kernel.mcp_server SET due_at = 9e15');
  tenant = await kernel.newTenant();
});
const { register, read, reportTools, chosen, accept } = mcpScene(() => ({ kernel, manage, tenant }));

/** @param transports null: for an executor of the version before */
const claimWith = async (transports: readonly ('http' | 'stdio')[] | null) =>
  await manage.mcpListings.claim({
    v: 1,
    executor_id: executor,
    public_key: (await box.publicKey()).toString('base64'),
    ...(transports === null ? {} : { transports: [...transports] }),
  });

it('a program is listed by executors that have containers alone, in the image of the deployment', async () => {
  const { resource_id } = await register(PROGRAM);
  expect(await read()).toMatchObject({ transport: 'stdio', url: null, command: PROGRAM.command });
  // One of the version before, and one without containers.
  expect(await claimWith(null)).toBeNull();
  expect(await claimWith(['http'])).toBeNull();
  const due = await claimWith(['http', 'stdio']);
  expect(due).toMatchObject({ resource: { resource_id, settings: PROGRAM }, image_digest: kernel.images.sandbox });
  expect(due?.image).toBeUndefined();
  expect(await reportTools(due!, [LOOK])).toBe(true);
});

it('an orchestrator that reads servers over HTTP alone sees no program, and the others as before', async () => {
  await register(PROGRAM);
  const of = requestBy(callerOf(tenant.tenantId));
  const page = { cursor: null, limit: 10 };
  expect((await manage.mcpServers.list({ ...of, page, every_kind: true })).items).toHaveLength(1);
  expect((await manage.mcpServers.list({ ...of, page })).items).toEqual([]);
  await expect(manage.mcpServers.read({ ...of, name: 'github' })).rejects.toMatchObject({ code: 'not_found' });
  const refreshed = manage.mcpServers.refresh({ ...of, name: 'github' });
  await expect(refreshed).rejects.toMatchObject({ code: 'not_found' });
});

it('a server with the rights of persons is listed by executors that say what they can list', async () => {
  await register({ ...SETTINGS, credential: { oauth: { client_id: 'writ', scopes: [] } } });
  expect(await claimWith(null)).toBeNull();
  await kernel.admin.query('UPDATE kernel.mcp_server SET due_at = 0 WHERE tenant_id = $1', [tenant.tenantId]);
  expect(await claimWith(['http'])).not.toBeNull();
});

it('an address is listed by any executor, and without an image', async () => {
  await register();
  const due = await claimWith(null);
  expect(due?.image_digest).toBeUndefined();
});

it('a program whose image is not there is not given, and the server says why', async () => {
  await register({ ...PROGRAM, image: 'tools' });
  expect(await claimWith(['http', 'stdio'])).toBeNull();
  expect(await read()).toMatchObject({ problem: { code: 'image.unknown' } });
});

it('a server may become a program, and is listed as one from then on', async () => {
  const { resource_id } = await register();
  await kernel.admin.query(
    `UPDATE kernel.resource SET settings = $2, digest = repeat('a', 64) WHERE resource_id = $1`,
    [resource_id, JSON.stringify(PROGRAM)],
  );
  expect(await claimWith(['http'])).toBeNull();
  expect(await claimWith(['stdio'])).not.toBeNull();
});

it.each<[string, Record<string, unknown>]>([
  ['another program', { ...PROGRAM, command: ['mcp-files', '--more'] }],
  ['a server over HTTP', SETTINGS],
])('a program may become %s, and is listed as that', async (_what, settings) => {
  const { resource_id } = await register(PROGRAM);
  const of = requestBy(callerOf(tenant.tenantId));
  await manage.resources.update({ ...of, resource_id, expected_version: 1, settings });
  const due = await claimWith(['http', 'stdio']);
  expect(due?.resource).toMatchObject({ resource_id, settings });
});

it.each<[string, Record<string, unknown>, string]>([
  ['no program', { transport: 'stdio', command: [] }, '/settings/command'],
  ['an argument with NUL', { ...PROGRAM, command: ['x', 'a\0b'] }, '/settings/command/1'],
  ['an address beside its program', { ...PROGRAM, url: SETTINGS.url }, '/settings/url'],
  ['a variable in small letters', { ...PROGRAM, env: { secret: 'x' } }, '/settings/env'],
  ['a host that is an address with a path', { ...PROGRAM, hosts: ['https://a.example/'] }, '/settings/hosts/0'],
  ['a transport that is none', { transport: 'pigeon', command: ['x'] }, '/settings/transport'],
])('a program with %s is not registered', async (_what, settings, pointer) => {
  const refused = await refusalOf(register(settings));
  expect(refused.code).toBe('request.malformed');
  expect(refused.pointer).toMatch(new RegExp(`^${pointer}`));
});

describe('a call of a tool of a program', () => {
  let token: string;
  beforeEach(async () => {
    kernel.policy.judged = [];
    kernel.policy.answer = () => AUTOPILOT;
    await tenant.write({ 'a.txt': 'hello' });
    await grantResource(tenant, 'mcp_server');
    token = await tenant.token({ net: [] });
  });
  const call = async (settings: Record<string, unknown> = PROGRAM, under = token) => {
    await register(settings);
    expect(await reportTools((await claimWith(['stdio']))!, [LOOK])).toBe(true);
    await accept(chosen(LOOK));
    const proposed = tenant.writeCall(under, { tool_id: 'mcp.github.look', args: { place: 'here' } });
    const { state, result } = await kernel.admit.run(proposed, null);
    return { proposed, verdict: result?.error?.code ?? state };
  };

  it('is bound to the image, needs no host, and says for whom it acts', async () => {
    const { proposed, verdict } = await call();
    expect(verdict).toBe('admitted');
    const { image_digest, proposed_by } = await tenant.row(proposed.operation_id);
    expect(image_digest).toBe(kernel.images.sandbox);
    expect(kernel.policy.judged.map(({ egress }) => egress)).toEqual([null]);
    const { redemption } = await run.performAdmitted(tenant, proposed.operation_id, 'broker');
    const owner = { acts_for: proposed_by, session: token };
    expect(redemption).toMatchObject({ image_digest, ...owner, capability_token_id: token });
  });

  it('belongs to its session, where it has one', async () => {
    const { proposed } = await call();
    await tenant.query('UPDATE kernel.operation SET session_id = $2 WHERE operation_id = $1', [
      proposed.operation_id,
      'ses_1',
    ]);
    const { redemption } = await run.performAdmitted(tenant, proposed.operation_id, 'broker');
    expect(redemption.session).toBe('ses_1');
  });

  it('is not redeemed by an executor of the version before, and waits for one that can run it', async () => {
    const { proposed } = await call();
    const redeemed = (knows: readonly string[] | null) =>
      run.performAdmitted(tenant, proposed.operation_id, 'broker', knows);
    await expect(redeemed(null)).rejects.toMatchObject({ code: 'overloaded' });
    expect((await redeemed(['acts_for', 'session'])).redemption.acts_for).toBeDefined();
  });

  it('is judged by the hosts that both its settings and its token name, and by the narrower name', async () => {
    const net = ['evil.com', '*.example.org', 'other.example'].map((domain) => ({
      domain,
      methods: ['POST', 'CONNECT'],
    }));
    const hosts = ['*.com', 'api.example.org', 'third.example'];
    expect((await call({ ...PROGRAM, hosts }, await tenant.token({ net }))).verdict).toBe('admitted');
    const [{ egress } = { egress: null }] = kernel.policy.judged;
    expect(egress?.domains).toEqual(['evil.com', 'api.example.org']);
    expect(new Set(egress?.methods)).toEqual(new Set(['POST', 'CONNECT']));
  });

  it('has no egress where its token names none of the hosts of its settings', async () => {
    expect((await call({ ...PROGRAM, hosts: ['api.example.com'] })).verdict).toBe('admitted');
    expect(kernel.policy.judged.map(({ egress }) => egress)).toEqual([null]);
  });

  it('that announced a request ends in doubt, also where its program says that it refused the call', async () => {
    const { proposed } = await call();
    const { attempt } = await run.performAdmitted(tenant, proposed.operation_id, 'broker');
    await run.renew.effectStarted(credentialsOf(attempt));
    const error = { code: 'mcp.refused' as const, message: 'why', hint: null };
    const reply = await run.commit.run(reportOf(attempt, null, { ended: 'failed', error, result: null }));
    expect(reply).toMatchObject({ tx_outcome: 'ambiguous' });
  });
});
