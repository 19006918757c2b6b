// SPDX-License-Identifier: Apache-2.0
// Tools of MCP servers: how administrators accept, see change and refuse them, and what calls of them become.
import type { ProposedCall } from '@writ/contract';
import { remoteDigest } from '@writ/mcp-tool';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { executor, LOOK, mcpScene, OTHER_LOOK, PUSH, SETTINGS } from '../../specs/mcp-scene.ts';
import { credentialsOf, reportOf, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { refusalOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
import { grantResource } from '../../specs/test-resources.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

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
const { admin, register, list, read, toolsOf, statesOf, chosen, accept, refuse, inForce, changes } = mcpScene(() => ({
  kernel,
  manage,
  tenant,
}));

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

  it('does not come back with a refused definition after another one was refused', async () => {
    await accept(chosen(LOOK));
    await refuse(LOOK);
    await list(OTHER_LOOK, PUSH);
    await refuse(OTHER_LOOK);
    await list(LOOK, PUSH);
    expect([(await statesOf())[0], await inForce(), await verdictOf()]).toEqual([['look', 'new'], [], 'tool.unknown']);
    expect((await toolsOf())[0]?.accepted).toBeNull();
    expect((await changes()).map(([verb]) => verb)).not.toContain('mcp_tool_restored');
  });

  it.each([
    ['changed', [OTHER_LOOK, PUSH], 'new'],
    ['gone', [PUSH], 'gone'],
  ] as const)('that is %s does not come back once the accepted definition is refused', async (state, tools, after) => {
    await accept(chosen(LOOK));
    await list(...tools);
    expect((await statesOf())[0]).toEqual(['look', state]);
    expect((await refuse(LOOK)).tools).toEqual([{ remote_name: 'look', tool_id: 'mcp.github.look', state: after }]);
    await list(LOOK, PUSH);
    expect([(await statesOf())[0]?.[1], await inForce()]).toEqual(['refused', []]);
    expect((await changes()).at(-1)).toEqual(['mcp_tool_refused', 'mcp.github.look']);
    await accept(chosen(LOOK));
    expect(await inForce()).toEqual(['mcp.github.look']);
  });

  it('keeps the refusal of the listed definition where the acceptance of another one ends', async () => {
    await accept(chosen(LOOK));
    await list(OTHER_LOOK, PUSH);
    await refuse(OTHER_LOOK);
    expect((await refuse(LOOK)).tools).toMatchObject([{ state: 'refused' }]);
    await list(LOOK, PUSH);
    expect(await inForce()).toEqual([]);
  });

  it('keeps its category where a new definition is accepted without one, unless its hints are stricter', async () => {
    const categories = async () => (await toolsOf()).map(({ category, category_then }) => [category, category_then]);
    expect(await categories()).toEqual([
      [null, 'write'],
      [null, 'admin'],
    ]);
    await accept(chosen(LOOK, 'admin'), chosen(PUSH, 'read'));
    await list(OTHER_LOOK, PUSH);
    expect(await categories()).toEqual([
      ['admin', 'admin'],
      ['read', 'admin'],
    ]);
    await accept(chosen(OTHER_LOOK), chosen(PUSH));
    expect((await categories()).map(([category]) => category)).toEqual(['admin', 'admin']);
    await accept(chosen(OTHER_LOOK, 'write'));
    expect((await categories())[0]).toEqual(['write', 'write']);
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
    expect(await verdictOf()).toBe('tool.not_available');
  });

  it('has a new version with new settings of its server, in the same change, and in no call that was decided before', async () => {
    await accept(chosen(LOOK, 'read'));
    const proposed = call();
    expect(await verdictOf(proposed)).toBe('admitted');
    run.speak(10);
    run.dispatcher.wake('broker');
    const permit = await run.permitOf(proposed.operation_id, 'broker');
    const { resource_id } = await read();
    const settings = { ...SETTINGS, url: 'https://mcp.outside.example/v2' };
    await manage.resources.update({ ...requestBy(admin()), resource_id, settings, expected_version: 1 });
    await expect(run.redeem.run({ v: 1, permit, executor_id: executor, nonce: '0'.repeat(32) })).rejects.toMatchObject({
      code: 'tool.changed',
    });
    const page = { cursor: null, limit: 9 };
    const { items } = await manage.listTools.run({ ...requestBy(admin()), page, tool_id: null });
    expect(items).toMatchObject([{ tool: { tool_id: 'mcp.github.look', version: 2, category: 'read' } }]);
    expect(await verdictOf()).toBe('admitted');
    // A tool that comes back after such a change has the new settings, too.
    await list(OTHER_LOOK);
    await manage.resources.update({ ...requestBy(admin()), resource_id, settings: SETTINGS, expected_version: 2 });
    await list(LOOK);
    expect(await verdictOf()).toBe('admitted');
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
