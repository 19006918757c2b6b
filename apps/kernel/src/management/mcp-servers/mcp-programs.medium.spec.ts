// SPDX-License-Identifier: Apache-2.0
// MCP servers that are programs: how they are registered, and who lists them in which image.
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { box, executor, LOOK, mcpScene, SETTINGS } from '../../specs/mcp-scene.ts';
import type { TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { refusalOf, type TestManagement } from '../../specs/test-management.ts';
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
const { register, claim, read, reportTools, chosen, accept } = mcpScene(() => ({ kernel, manage, tenant }));

const claimWith = async (transports: readonly ('http' | 'stdio')[]) =>
  await manage.mcpListings.claim({
    v: 1,
    executor_id: executor,
    public_key: (await box.publicKey()).toString('base64'),
    transports: [...transports],
  });

it('a program is listed by executors that have containers alone, in the image of the deployment', async () => {
  const { resource_id } = await register(PROGRAM);
  expect(await read()).toMatchObject({ transport: 'stdio', url: null, command: PROGRAM.command });
  // One of the version before, and one without containers.
  expect(await claim()).toBeNull();
  expect(await claimWith(['http'])).toBeNull();
  const due = await claimWith(['http', 'stdio']);
  expect(due).toMatchObject({ resource: { resource_id, settings: PROGRAM }, image_digest: kernel.images.sandbox });
  expect(due?.image).toBeUndefined();
  expect(await reportTools(due!, [LOOK])).toBe(true);
});

it('an address is listed by any executor, and without an image', async () => {
  await register();
  const due = await claim();
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
  const call = async (settings: Record<string, unknown> = PROGRAM) => {
    await register(settings);
    expect(await reportTools((await claimWith(['stdio']))!, [LOOK])).toBe(true);
    await accept(chosen(LOOK));
    const proposed = tenant.writeCall(token, { tool_id: 'mcp.github.look', args: { place: 'here' } });
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
    expect(redemption).toMatchObject({ image_digest, acts_for: proposed_by, capability_token_id: token });
  });

  it('is judged by every host that its program may reach', async () => {
    expect((await call({ ...PROGRAM, hosts: ['api.example.com', '*.example.org'] })).verdict).toBe('admitted');
    const [{ egress } = { egress: null }] = kernel.policy.judged;
    expect(egress?.domains).toEqual(['api.example.com', '*.example.org']);
    expect(egress?.methods).toContain('CONNECT');
  });
});
