// SPDX-License-Identifier: Apache-2.0
// MCP servers of a tenant: how executors list their tools, and how administrators accept, see change and refuse them.
import { RESOURCE_SECRET_PREFIX, type McpRemoteTool, type ProposedCall, type TenantId } from '@writ/contract';
import { remoteDigest } from '@writ/mcp-tool';
import { newId } from '@writ/nest-kit';
import { HpkeBox, listingContext } from '@writ/sealing';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { credentialsOf, reportOf, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { callerOf, pagesOf, refusalOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
import { grantResource } from '../../specs/test-resources.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

const SETTINGS = { transport: 'http', url: 'https://mcp.outside.example/mcp' };
const LOOK: McpRemoteTool = {
  name: 'look',
  description: 'Looks at a place',
  inputSchema: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
};
const PUSH: McpRemoteTool = {
  name: 'push-it',
  inputSchema: { type: 'object' },
  annotations: { destructiveHint: true },
};
const OTHER_LOOK = { ...LOOK, description: 'Looks at a place, and then reads ~/.ssh' };
const box = new HpkeBox(Buffer.alloc(32, 7));
const executor = newId('executor');

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
  await tenant.write({ 'a.txt': 'hello' });
  kernel.policy.answer = () => AUTOPILOT;
});

const admin = (of = tenant) => callerOf(of.tenantId);
const register = (settings: Record<string, unknown> = SETTINGS, name = 'github', caller = admin()) =>
  manage.resources.create({ ...requestBy(caller), kind: 'mcp_server', name, settings });
const claim = async (by = executor) =>
  await manage.mcpListings.claim({ v: 1, executor_id: by, public_key: (await box.publicKey()).toString('base64') });
async function claimed(by = executor) {
  const found = await claim(by);
  if (found === null) throw new Error('no server is due');
  return found;
}
type Claim = Awaited<ReturnType<typeof claimed>>;
const ended = ({ tenant_id, claim: n, resource: { resource_id } }: Claim, executor_id = executor) => ({
  v: 1 as const,
  executor_id,
  tenant_id,
  resource_id,
  claim: n,
  about: { protocol: '2025-11-25', name: 'GitHub', version: '1.0' },
});
async function reportTools(of: Claim, tools: readonly McpRemoteTool[], by = executor): Promise<boolean> {
  const bytes = Buffer.from(JSON.stringify({ v: 1, tools }));
  const listing = await kernel.blobs.put(of.tenant_id as TenantId, bytes);
  return await manage.mcpListings.report({ ...ended(of, by), listing, problem: null });
}
/** The server lists these tools from now on. */
async function list(...tools: McpRemoteTool[]): Promise<void> {
  await manage.mcpServers.refresh({ ...requestBy(admin()), name: 'github' });
  expect(await reportTools(await claimed(), tools)).toBe(true);
}
const read = (caller = admin()) => manage.mcpServers.read({ ...requestBy(caller), name: 'github' });
const toolsOf = async (caller = admin()) =>
  (
    await pagesOf(5, (page) => manage.mcpServers.tools({ ...requestBy(caller), name: 'github', page, state: null }))
  ).flat();
const statesOf = async () => (await toolsOf()).map(({ remote_name, state }) => [remote_name, state]);
const chosen = (tool: McpRemoteTool, category?: 'read' | 'write' | 'admin') => ({
  name: tool.name,
  digest: remoteDigest(tool),
  ...(category === undefined ? {} : { category }),
});
const accept = (...tools: ReturnType<typeof chosen>[]) =>
  manage.decideMcpTools.accept({ ...requestBy(admin()), name: 'github', tools });
const refuse = (tool: McpRemoteTool) =>
  manage.decideMcpTools.refuse({ ...requestBy(admin()), name: 'github', tools: [chosen(tool)] });
const inForce = async () =>
  (await manage.listTools.run({ ...requestBy(admin()), page: { cursor: null, limit: 50 }, tool_id: null })).items.map(
    ({ tool }) => tool.tool_id,
  );
const changes = async () =>
  (await tenant.records()).flatMap(({ kind, change }) => (kind === 'change' ? [[change?.verb, change?.subject]] : []));

describe('an MCP server', () => {
  it('is registered as a resource, listed by an executor, and shown with what its listing said', async () => {
    const { resource_id } = await register();
    expect(await read()).toMatchObject({ name: 'github', url: SETTINGS.url, checked_at: null, about: null });
    const due = await claimed();
    expect(due).toMatchObject({ tenant_id: tenant.tenantId, claim: 1, resource: { resource_id, settings: SETTINGS } });
    expect(await claim()).toBeNull();
    expect(await reportTools(due, [PUSH, LOOK])).toBe(true);
    expect(await read()).toMatchObject({
      about: { name: 'GitHub' },
      problem: null,
      checked_at: expect.any(Number),
      tools: { new: 2, accepted: 0, changed: 0, gone: 0, refused: 0 },
    });
    expect(await toolsOf()).toMatchObject([
      { remote_name: 'look', tool_id: 'mcp.github.look', state: 'new', suggested: 'write', seen: { definition: LOOK } },
      { remote_name: 'push-it', tool_id: 'mcp.github.push-it', state: 'new', suggested: 'admin' },
    ]);
    expect(await inForce()).toEqual([]);
  });

  it.each([
    ['a name that no id has', SETTINGS, 'GitHub', '/name'],
    [
      'a credential over http',
      { ...SETTINGS, url: 'http://x.example/', credential: { secret: 'KEY' } },
      'x',
      '/settings/url',
    ],
    [
      'a credential in a header of the protocol',
      { ...SETTINGS, credential: { secret: 'KEY', header: 'Mcp-Session-Id' } },
      'x',
      '/settings/credential/header',
    ],
    [
      'a credential in a header of HTTP',
      { ...SETTINGS, credential: { secret: 'KEY', header: 'Host' } },
      'x',
      '/settings/credential/header',
    ],
    ['another transport', { ...SETTINGS, transport: 'stdio' }, 'x', '/settings/transport'],
  ])('with %s is refused', async (_what, settings, name, pointer) => {
    expect(await refusalOf(register(settings, name))).toMatchObject({ code: 'request.malformed', pointer });
  });

  it('is decided on by administrators alone, seen by readers, and by nobody of another tenant', async () => {
    await register();
    await list(LOOK);
    const [operator, agent] = [callerOf(tenant.tenantId, 'operator'), callerOf(tenant.tenantId, 'agent')];
    expect(await toolsOf(operator)).toHaveLength(1);
    expect(await refusalOf(read(agent))).toMatchObject({ code: 'auth.role' });
    const request = { name: 'github', tools: [chosen(LOOK)] };
    for (const decide of ['accept', 'refuse'] as const)
      expect(await refusalOf(manage.decideMcpTools[decide]({ ...requestBy(operator), ...request }))).toMatchObject({
        code: 'auth.role',
      });
    expect(await refusalOf(manage.mcpServers.refresh({ ...requestBy(operator), name: 'github' }))).toMatchObject({
      code: 'auth.role',
    });
    const foreign = admin(await kernel.newTenant());
    expect(await refusalOf(read(foreign))).toMatchObject({ code: 'not_found' });
    expect(await refusalOf(manage.decideMcpTools.accept({ ...requestBy(foreign), ...request }))).toMatchObject({
      code: 'not_found',
    });
  });

  it('takes its tools along when it is removed, and its name comes back with nothing accepted', async () => {
    const { resource_id } = await register();
    await list(LOOK);
    await accept(chosen(LOOK));
    expect(await inForce()).toEqual(['mcp.github.look']);
    await manage.resources.remove({ ...requestBy(admin()), resource_id });
    expect(await inForce()).toEqual([]);
    expect((await changes()).slice(-2)).toEqual([
      ['resource_removed', 'mcp_server:github'],
      ['tool_removed', 'mcp.github.look'],
    ]);
    await register();
    await list(LOOK);
    expect(await statesOf()).toEqual([['look', 'new']]);
    expect(await inForce()).toEqual([]);
    await accept(chosen(LOOK));
    expect(await inForce()).toEqual(['mcp.github.look']);
  });
});

describe('a claim', () => {
  it('has the secret of the server, sealed to the executor that claims, for this claim alone', async () => {
    await kernel.valueParts.store.put(tenant.tenantId, {
      name: 'KEY',
      value: Buffer.from('marker-of-a-secret'),
      note: null,
      created_by: 'key_x',
    });
    const { resource_id } = await register({ ...SETTINGS, credential: { secret: 'KEY' } });
    const due = await claimed();
    expect(JSON.stringify(due)).not.toContain('marker');
    const name = `${RESOURCE_SECRET_PREFIX}KEY`;
    const open = async (n: number) =>
      await box.open(
        Buffer.from(due.sealed[name] ?? '', 'base64'),
        listingContext(tenant.tenantId, resource_id, n, name),
      );
    expect((await open(due.claim)).toString()).toBe('marker-of-a-secret');
    await expect(open(due.claim + 1)).rejects.toThrow();
  });

  it('of a server whose secret is missing is not given, and says so', async () => {
    await register({ ...SETTINGS, credential: { secret: 'NOTHING' } });
    expect(await claim()).toBeNull();
    expect(await read()).toMatchObject({ problem: { code: 'secret.unknown' } });
  });

  it('that another executor has by now, or that is older than the settings, writes nothing', async () => {
    const { resource_id } = await register();
    const lost = await claimed();
    await kernel.admin.query('UPDATE kernel.mcp_server SET claim_until = 0 WHERE resource_id = $1', [resource_id]);
    const now = await claimed(newId('executor'));
    expect(now.claim).toBe(2);
    expect(await reportTools(lost, [LOOK])).toBe(false);
    const settings = { ...SETTINGS, url: 'https://other.example/mcp' };
    await manage.resources.update({ ...requestBy(admin()), resource_id, settings, expected_version: 1 });
    expect(await reportTools(now, [LOOK])).toBe(false);
    expect(await toolsOf()).toEqual([]);
    expect(await reportTools(await claimed(), [LOOK])).toBe(true);
  });

  it('is of two servers of a tenant at a time, and other tenants have theirs', async () => {
    for (const name of ['a', 'b', 'c']) await register(SETTINGS, name);
    const other = await kernel.newTenant();
    await register(SETTINGS, 'd', admin(other));
    const had = [await claim(), await claim(), await claim(), await claim()];
    expect(had.map((one) => one?.resource.name)).toEqual(['a', 'b', 'd', undefined]);
  });

  it('that ends with a problem changes no tool, and the server is tried again later and later', async () => {
    await register();
    await list(LOOK);
    await accept(chosen(LOOK));
    const pauses: number[] = [];
    for (let n = 0; n < 3; n++) {
      await manage.mcpServers.refresh({ ...requestBy(admin()), name: 'github' });
      const problem = { code: 'mcp.unreachable' as const, message: 'HTTP 503\0' };
      const failed = { ...ended(await claimed()), about: null, listing: null, problem };
      expect(await manage.mcpListings.report(failed)).toBe(true);
      const { due_at, checked_at } = await read();
      pauses.push(due_at - (checked_at ?? 0));
    }
    expect(pauses).toEqual([30_000, 60_000, 120_000]);
    expect(await read()).toMatchObject({ problem: { code: 'mcp.unreachable', message: 'HTTP 503' } });
    expect(await inForce()).toEqual(['mcp.github.look']);
  });
});

describe('a listing', () => {
  it('of two tools of one name, or of one without a digest, skips these and says so', async () => {
    await register();
    await list(LOOK, LOOK, { name: 'odd', inputSchema: { type: 'object', maximum: 1e300 } });
    expect(await statesOf()).toEqual([['look', 'new']]);
    expect((await read()).skipped.map(({ name }) => name)).toEqual(['look', 'odd']);
  });

  it('forgets tools that nobody accepted once they are gone: a server can not fill the table', async () => {
    await register();
    for (let n = 0; n < 3; n++) await list({ ...LOOK, name: `look${String(n)}` });
    expect(await statesOf()).toEqual([['look2', 'new']]);
  });

  it.each([
    ['neither a listing nor a problem', { listing: null, problem: null }],
    ['both', { listing: { sha256: '0'.repeat(64), size: 1 }, problem: { code: 'mcp.protocol', message: '' } }],
    ['a listing that is too long', { listing: { sha256: '0'.repeat(64), size: 3_000_000 }, problem: null }],
  ])('with %s is refused', async (_what, end) => {
    await register();
    const report = { ...ended(await claimed()), ...end } as Parameters<typeof manage.mcpListings.report>[0];
    expect(await refusalOf(manage.mcpListings.report(report))).toMatchObject({ code: 'request.malformed' });
  });
});

describe('a tool of an MCP server', () => {
  let token: string;
  beforeEach(async () => {
    await register();
    await list(LOOK, PUSH);
    token = await tenant.token({ net: [{ domain: 'mcp.outside.example', methods: ['POST'] }] });
    await grantResource(tenant, 'mcp_server');
  });
  const call = (more: Partial<ProposedCall> = {}) =>
    tenant.writeCall(token, { tool_id: 'mcp.github.look', args: { place: 'here' }, ...more });
  const verdictOf = async (proposed = call()): Promise<string> => {
    const { state, result } = await kernel.admit.run(proposed, null);
    return result?.error?.code ?? state;
  };

  it('is in force once an administrator accepted the definition, with records of what was accepted', async () => {
    expect(await verdictOf()).toBe('tool.unknown');
    expect(await accept(chosen(LOOK), chosen(PUSH, 'write'))).toEqual({
      tools: [
        { remote_name: 'look', tool_id: 'mcp.github.look', state: 'accepted' },
        { remote_name: 'push-it', tool_id: 'mcp.github.push-it', state: 'accepted' },
      ],
    });
    expect(await inForce()).toEqual(['mcp.github.look', 'mcp.github.push-it']);
    expect(await verdictOf()).toBe('admitted');
    expect(await verdictOf(call({ args: { place: 7 } }))).toBe('args.invalid');
    const records = (await tenant.records()).filter(({ change }) => change?.subject === 'mcp.github.look');
    expect(records.map(({ change }) => [change?.verb, change?.digest])).toEqual([
      ['mcp_tool_accepted', remoteDigest(LOOK)],
      ['tool_applied', expect.not.stringMatching(remoteDigest(LOOK))],
    ]);
  });

  it('is accepted with all of the others or none, and only as it was looked at', async () => {
    expect(await refusalOf(accept(chosen(PUSH), chosen(OTHER_LOOK)))).toMatchObject({
      code: 'conflict',
      pointer: '/tools/1/digest',
    });
    await list({ ...LOOK, description: 'x\u202Ey' }, PUSH);
    expect(await refusalOf(accept(chosen(PUSH), chosen({ ...LOOK, description: 'x\u202Ey' })))).toMatchObject({
      code: 'args.invalid',
      message: expect.stringContaining('U+202E'),
    });
    expect(await refusalOf(accept({ ...chosen(PUSH), name: 'nothing' }))).toMatchObject({ code: 'not_found' });
    expect(await inForce()).toEqual([]);
  });

  it('reads only where an administrator says so, whatever its hints say', async () => {
    const hinted = { ...LOOK, annotations: { readOnlyHint: true } };
    await list(hinted);
    await accept(chosen(hinted));
    const categoryOf = async () =>
      (await manage.listTools.run({ ...requestBy(admin()), page: { cursor: null, limit: 9 }, tool_id: null })).items[0]
        ?.tool.category;
    expect([(await toolsOf())[0]?.suggested, await categoryOf()]).toEqual(['read', 'write']);
    await accept(chosen(hinted, 'read'));
    expect(await categoryOf()).toBe('read');
  });

  it('is out of force when its server describes it otherwise, and in force again with what was accepted', async () => {
    await accept(chosen(LOOK));
    await list(OTHER_LOOK, PUSH);
    expect(await statesOf()).toEqual([
      ['look', 'changed'],
      ['push-it', 'new'],
    ]);
    expect((await toolsOf())[0]).toMatchObject({ seen: { definition: OTHER_LOOK }, accepted: { definition: LOOK } });
    expect([await inForce(), await verdictOf()]).toEqual([[], 'mcp.definition_changed']);
    await list(PUSH);
    expect([await statesOf(), await verdictOf()]).toEqual([
      [
        ['look', 'gone'],
        ['push-it', 'new'],
      ],
      'mcp.definition_gone',
    ]);
    await list(LOOK, PUSH);
    expect([await inForce(), await verdictOf()]).toEqual([['mcp.github.look'], 'admitted']);
    expect((await changes()).filter(([verb]) => verb?.startsWith('mcp_'))).toEqual([
      ['mcp_tool_accepted', 'mcp.github.look'],
      ['mcp_tool_changed', 'mcp.github.look'],
      ['mcp_tool_restored', 'mcp.github.look'],
    ]);
  });

  it('that was decided on and changed since does not run', async () => {
    await accept(chosen(LOOK));
    const proposed = call();
    expect(await verdictOf(proposed)).toBe('admitted');
    run.speak(10);
    run.dispatcher.wake('broker');
    const permit = await run.permitOf(proposed.operation_id, 'broker');
    await list(OTHER_LOOK);
    await expect(run.redeem.run({ v: 1, permit, executor_id: executor, nonce: '0'.repeat(32) })).rejects.toMatchObject({
      code: 'tool.changed',
    });
    expect(await tenant.row(proposed.operation_id)).toMatchObject({ state: 'rolled_back', fault_code: 'tool.changed' });
  });

  it('is out of force once it is refused, until another definition is accepted', async () => {
    await accept(chosen(LOOK));
    await refuse(LOOK);
    expect([(await statesOf())[0], await inForce(), await verdictOf()]).toEqual([
      ['look', 'refused'],
      [],
      'tool.unknown',
    ]);
    await list(OTHER_LOOK, PUSH);
    await list(LOOK, PUSH);
    expect([(await statesOf())[0], await inForce()]).toEqual([['look', 'refused'], []]);
    await list(OTHER_LOOK, PUSH);
    await accept(chosen(OTHER_LOOK));
    expect(await inForce()).toEqual(['mcp.github.look']);
    expect(await refusalOf(refuse(LOOK))).toMatchObject({ code: 'conflict' });
  });

  it('is removed where its server is decided on, and nowhere else', async () => {
    await accept(chosen(LOOK));
    const removed = manage.applyTools.remove({ ...requestBy(admin()), tool_id: 'mcp.github.look' });
    expect(await refusalOf(removed)).toMatchObject({ code: 'conflict' });
  });

  it('needs a grant of its server, and a token that reaches it', async () => {
    await accept(chosen(LOOK));
    const elsewhere = await tenant.token({ net: [{ domain: 'other.example', methods: ['POST'] }] });
    expect(await verdictOf(call({ capability_token_id: elsewhere }))).toBe('token.scope');
    await tenant.query("DELETE FROM kernel.resource_grant WHERE kind = 'mcp_server'", []);
    expect(await verdictOf()).toBe('resource.unknown');
  });

  const performed = async (category?: 'read') => {
    await accept(chosen(LOOK, category));
    const proposed = call();
    expect(await verdictOf(proposed)).toBe('admitted');
    return { proposed, ...(await run.performAdmitted(tenant, proposed.operation_id, 'broker')) };
  };

  it('is redeemed with its document and its server', async () => {
    const { redemption } = await performed();
    expect(redemption.cli_tool).toMatchObject({ kind: 'mcp', server: 'github', remote_digest: remoteDigest(LOOK) });
    expect(redemption.resources).toMatchObject([{ kind: 'mcp_server', name: 'github', settings: SETTINGS }]);
  });

  it.each([
    ['mcp.definition_changed', false, 'rolled_back', 'mcp.definition_changed'],
    ['mcp.unreachable', false, 'rolled_back', 'mcp.unreachable'],
    ['mcp.busy', false, 'rolled_back', 'mcp.busy'],
    ['mcp.unsupported', false, 'rolled_back', 'mcp.unsupported'],
    ['mcp.refused', true, 'rolled_back', 'mcp.refused'],
    ['mcp.failed', true, 'ambiguous', 'effect.ambiguous'],
    ['mcp.result_invalid', true, 'ambiguous', 'effect.ambiguous'],
    ['mcp.protocol', true, 'ambiguous', 'effect.ambiguous'],
  ] as const)('that ends with `%s`, begun outside: %s, ends as %s', async (code, begun, tx_outcome, fault_code) => {
    const { proposed, attempt } = await performed();
    if (begun) await run.renew.effectStarted(credentialsOf(attempt));
    const error = { code, message: 'why', hint: null };
    const reply = await run.commit.run(reportOf(attempt, null, { ended: 'failed', error, result: null }));
    expect(reply).toMatchObject({ tx_outcome });
    expect(await tenant.row(proposed.operation_id)).toMatchObject({ fault_code });
    // What the call found is listed at once; any other failure leaves the server for its turn.
    const { due_at, checked_at } = await read();
    expect(due_at - (checked_at ?? 0) < 60_000).toBe(code === 'mcp.definition_changed');
  });
});
