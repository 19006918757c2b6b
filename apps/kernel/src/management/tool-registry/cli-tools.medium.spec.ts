// SPDX-License-Identifier: Apache-2.0
import type { CliToolSource, ProposedCall } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { requestBy, callerOf, pagesOf, type TestManagement } from '../../specs/test-management.ts';
import { deltaFor, reportOf, textsAt, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let run: TestExecution;
let manage: TestManagement;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel, run, manage } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token();
  kernel.policy.answer = () => AUTOPILOT;
});

const admin = (of = tenant) => callerOf(of.tenantId);
const DEPLOY: CliToolSource = {
  name: 'deploy',
  description: 'Deploys.',
  category: 'write',
  cmd: 'deploy',
  args: ['--env', '{{environment}}'],
  env: { LEVEL: '${LEVEL}' },
  parameters: { environment: { type: 'string', enum: ['staging', 'production'] } },
};
const LOOK: CliToolSource = {
  name: 'kube.get',
  description: 'Looks.',
  category: 'read',
  cmd: 'kubectl',
  args: ['get', 'pods'],
};
const apply = (tools: CliToolSource[], more: Record<string, unknown> = {}, of = tenant) =>
  manage.applyTools.run({
    ...requestBy(admin(of)),
    file: { tools, variables: { LEVEL: 'high' }, ...more },
    dry_run: false,
  });
const remove = (tool_id: string) => manage.applyTools.remove({ ...requestBy(admin()), tool_id });
const list = (of = tenant, tool_id: string | null = null) =>
  manage.listTools.run({ ...requestBy(admin(of)), page: { cursor: null, limit: 50 }, tool_id });
const deploy = (more: Partial<ProposedCall> = {}) =>
  tenant.writeCall(token, { tool_id: 'deploy', args: { environment: 'staging' }, ...more });
const look = () => tenant.call(token, { tool_id: 'kube.get', args: {} });
const verdictOf = async (call: ProposedCall): Promise<string> => {
  const { state, result } = await kernel.admit.run(call, null);
  return result?.error?.code ?? state;
};
const perform = async (call: ProposedCall) => {
  await kernel.admit.run(call, null);
  return await run.performAdmitted(tenant, call.operation_id, 'sandboxed');
};
const RESULT = { exit_code: 0, signal: null, output: '', truncated_bytes: 0, wall_ms: 5 };

describe('tools of a tenant', () => {
  it('are applied together, each with a record in the same transaction; unchanged ones stay as they are', async () => {
    const first = await apply([DEPLOY, LOOK]);
    expect(first).toMatchObject({
      valid: true,
      tools: [
        { tool_id: 'deploy', version: 1, change: 'created' },
        { tool_id: 'kube.get', version: 1, change: 'created' },
      ],
    });
    expect((await apply([DEPLOY, LOOK])).tools).toEqual(first.tools.map((tool) => ({ ...tool, change: 'unchanged' })));
    const changed = await apply([{ ...DEPLOY, timeout_ms: 1_000 }]);
    expect(changed.tools).toMatchObject([{ version: 2, change: 'changed' }]);
    expect((await tenant.records()).map(({ change }) => change)).toEqual([
      ...first.tools.map(({ tool_id, definition_digest }) => ({
        verb: 'tool_applied',
        subject: tool_id,
        digest: definition_digest,
      })),
      { verb: 'tool_applied', subject: 'deploy', digest: changed.tools[0]?.definition_digest },
    ]);
  });

  it('are not applied at all where one has a problem, and all problems are returned', async () => {
    expect(await apply([DEPLOY, { ...LOOK, cmd: 'bash', args: ['-c', 'x'] }])).toMatchObject({
      valid: false,
      tools: [],
      problems: [{ pointer: '/tools/1/cmd' }],
    });
    expect((await list()).items).toEqual([]);
    expect(await tenant.countOf('outbox')).toBe(0);
  });

  it('can be applied as a dry run, which writes nothing', async () => {
    const tried = await manage.applyTools.run({ ...requestBy(admin()), file: { tools: [LOOK] }, dry_run: true });
    expect(tried.tools).toMatchObject([{ change: 'created', version: 1 }]);
    expect((await list()).items).toEqual([]);
  });

  it.each(['operator', 'agent', 'auditor'] as const)('are not changed by the role %s', async (role) => {
    const caller = callerOf(tenant.tenantId, role, tenant.agentId);
    await expect(
      manage.applyTools.run({ ...requestBy(caller), file: { tools: [LOOK] }, dry_run: false }),
    ).rejects.toMatchObject({ code: 'auth.role' });
    await expect(manage.applyTools.remove({ ...requestBy(caller), tool_id: 'kube.get' })).rejects.toMatchObject({
      code: 'auth.role',
    });
  });

  it("belong to one tenant: another tenant can't see, call or remove them", async () => {
    await apply([LOOK]);
    const other = await kernel.newTenant();
    expect((await list(other)).items).toEqual([]);
    expect((await list(other, 'kube.get')).items).toEqual([]);
    await expect(manage.applyTools.remove({ ...requestBy(admin(other)), tool_id: 'kube.get' })).rejects.toMatchObject({
      code: 'not_found',
    });
    await other.write({ 'a.txt': 'x' });
    expect(
      (await kernel.admit.run(other.call(await other.token(), { tool_id: 'kube.get', args: {} }), null)).result?.error
        ?.code,
    ).toBe('tool.unknown');
    expect((await apply([LOOK], {}, other)).tools).toMatchObject([{ change: 'created', version: 1 }]);
  });

  it('are listed by name, page by page', async () => {
    await apply(['d', 'b', 'e', 'a', 'c'].map((name) => ({ ...LOOK, name })));
    const pages = await pagesOf(2, (page) => manage.listTools.run({ ...requestBy(admin()), page, tool_id: null }));
    expect(pages.flat().map(({ tool }) => tool.tool_id)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('get a unique version for each of sixteen concurrent changes', async () => {
    const told = await Promise.all(
      Array.from({ length: 16 }, (_, n) => apply([{ ...LOOK, description: `No. ${String(n)}` }])),
    );
    expect(told.map(({ tools: [tool] }) => tool?.version).sort((a, b) => (a ?? 0) - (b ?? 0))).toEqual(
      Array.from({ length: 16 }, (_, n) => n + 1),
    );
  });
});

describe('a call of such a tool', () => {
  it('is decided on the active definition, which its record names, and runs on that one', async () => {
    const {
      tools: [tool],
    } = await apply([DEPLOY]);
    const { attempt, redemption } = await perform(deploy());
    expect(await tenant.row(attempt.operation_id)).toMatchObject({
      tool_definition_digest: tool?.definition_digest,
      lane: 'sandboxed',
      mutating: true,
    });
    expect(redemption).toMatchObject({
      tool_definition_digest: tool?.definition_digest,
      cli_tool: { tool_id: 'deploy', version: 1, env: [{ name: 'LEVEL', parts: [{ text: 'high' }] }] },
    });
    expect(
      await run.commit.run(
        reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'written' }), { exit_code: 0, result: RESULT }),
      ),
    ).toMatchObject({ state: 'committed' });
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'written' });
    const record = (await tenant.records()).find(({ kind, phase }) => kind === 'tool_call' && phase === 'decision');
    expect(record).toMatchObject({ tool_id: 'deploy', tool_definition_digest: tool?.definition_digest });
  });

  it('is refused with all problems of its arguments and their pointers', async () => {
    await apply([DEPLOY]);
    const { result } = await kernel.admit.run(deploy({ args: { environment: 'production; rm -rf ~', more: 1 } }), null);
    expect(result?.error?.code).toBe('args.invalid');
    expect(result?.reasons.map(({ message }) => message).join('\n')).toContain('/environment');
  });

  it('needs a token that grants it, by its name or its family', async () => {
    await apply([LOOK]);
    const narrow = async (tools: string[]) =>
      await verdictOf({ ...look(), capability_token_id: await tenant.token({ tools }) });
    expect(await narrow(['fs.*', 'kube'])).toBe('token.tool');
    expect(await narrow(['kube.*'])).toBe('admitted');
  });

  it('that only reads needs no key, and is rolled back where it changed something', async () => {
    await apply([LOOK]);
    const { attempt } = await perform(look());
    await run.commit.run(
      reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'written' }), { exit_code: 0, result: RESULT }),
    );
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ fault_code: 'effect.invalid' });
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'hello' });
  });

  it('keeps nothing of a failed run, whatever a parameter is called', async () => {
    await apply([{ ...DEPLOY, args: ['{{on_failure}}'], parameters: { on_failure: { type: 'string' } } }]);
    const { attempt } = await perform(deploy({ args: { on_failure: 'keep' } }));
    await run.commit.run(
      reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'written' }), {
        exit_code: 3,
        result: { ...RESULT, exit_code: 3 },
      }),
    );
    expect(await tenant.row(attempt.operation_id)).toMatchObject({
      state: 'rolled_back',
      fault_code: 'command.failed',
    });
  });

  it('that was admitted does not run once its tool was changed: it ends as `tool.changed`', async () => {
    await apply([DEPLOY]);
    const call = deploy();
    await kernel.admit.run(call, null);
    await apply([{ ...DEPLOY, args: ['--env', '{{environment}}', '--force'] }]);
    await expect(run.performAdmitted(tenant, call.operation_id, 'sandboxed')).rejects.toMatchObject({
      code: 'tool.changed',
    });
    expect(await tenant.row(call.operation_id)).toMatchObject({ state: 'rolled_back', fault_code: 'tool.changed' });
  });

  it('whose effect needs a person is rolled back as `tool.changed` once its tool was changed', async () => {
    await apply([DEPLOY]);
    kernel.policy.answer = (action) =>
      action.resources.some(({ path }) => path === 'b.txt') ? requires('soft_gate')() : AUTOPILOT;
    const { attempt } = await perform(deploy());
    await apply([{ ...DEPLOY, timeout_ms: 1_000 }]);
    const report = reportOf(attempt, await deltaFor(kernel, attempt, { 'b.txt': 'x' }), {
      exit_code: 0,
      result: RESULT,
    });
    expect(await run.commit.run(report)).toEqual({ v: 1, state: 'rolled_back', tx_outcome: 'rolled_back' });
    expect(await tenant.row(attempt.operation_id)).toMatchObject({
      state: 'rolled_back',
      fault_code: 'tool.changed',
      approval_id: null,
    });
    expect(await textsAt(kernel, tenant, ['b.txt'])).toEqual({ 'b.txt': null });
  });

  it('is unknown once its tool was removed, and is known once the tool is applied again', async () => {
    await apply([LOOK]);
    const admitted = look();
    await kernel.admit.run(admitted, null);
    expect(await remove('kube.get')).toEqual({ removed: 'kube.get' });
    await expect(remove('kube.get')).rejects.toMatchObject({ code: 'not_found' });
    await expect(run.performAdmitted(tenant, admitted.operation_id, 'sandboxed')).rejects.toMatchObject({
      code: 'tool.changed',
    });
    expect(await verdictOf(look())).toBe('tool.unknown');
    expect((await apply([LOOK])).tools).toMatchObject([{ change: 'created', version: 1 }]);
    expect(await verdictOf(look())).toBe('admitted');
  });

  it('that was approved on a definition that has changed since is not admitted', async () => {
    await apply([DEPLOY]);
    kernel.policy.answer = requires('soft_gate');
    const held = await kernel.admit.run(deploy(), null);
    await apply([{ ...DEPLOY, args: ['--env', '{{environment}}', '--force'] }]);
    await kernel.decide
      .run({ ...requestBy(admin()), approval_id: held.approval_id ?? '', decision: 'approve', comment: null })
      .catch(() => undefined);
    expect((await tenant.row(held.operation_id)).state).not.toMatch(/admitted|dispatched|committed/);
  });

  it('whose decision is written again has its tool checked again, for every kind of statement', async () => {
    await apply([DEPLOY]);
    const { operation_id } = await kernel.admit.run(deploy(), null);
    const anew = () =>
      tenant.query(
        `UPDATE kernel.operation SET decision_record_id = decision_record_id || 'x' WHERE operation_id = $1`,
        [operation_id],
      );
    await anew();
    await apply([{ ...DEPLOY, description: 'Deploys otherwise.' }]);
    await expect(anew()).rejects.toMatchObject({ code: 'WR006' });
  });
});

/** Activates a version of a name within another transaction, as `kernel.put_tool` does under the rules. */
const putBack = async (digest: string | null) => {
  await kernel.admin.query(
    "UPDATE kernel.tool SET definition_digest = $2 WHERE tenant_id = $1 AND tool_id = 'deploy'",
    [tenant.tenantId, digest],
  );
};

describe('a call that was decided before a change of its tool and is written after it', () => {
  it.each([
    ['is decided again, on the active definition', true, 'admitted'],
    ['is refused where the tool was removed', false, 'tool.unknown'],
  ] as const)('%s', async (_what, stays, outcome) => {
    const {
      tools: [first],
    } = await apply([DEPLOY]);
    const {
      tools: [second],
    } = await apply([{ ...DEPLOY, description: 'Deploys otherwise.' }]);
    const call = deploy();
    await kernel.admin.query('BEGIN');
    await kernel.admin.query('SELECT kernel.change_rules($1)', [tenant.tenantId]);
    const deciding = verdictOf(call);
    await kernel.untilBlocked();
    await putBack(stays ? (first?.definition_digest ?? null) : null);
    await kernel.admin.query('COMMIT');
    expect(await deciding).toBe(outcome);
    expect(first?.definition_digest).not.toBe(second?.definition_digest);
    expect((await tenant.row(call.operation_id)).tool_definition_digest).toBe(stays ? first?.definition_digest : null);
  });

  it.each([1, 3])('is decided again also where its facts were cached, after %d calls', async (calls) => {
    await apply([DEPLOY]);
    // The first call reads the facts, the second counts the queue, and later ones do neither.
    for (let i = 0; i < calls; i += 1) await kernel.admit.run(deploy(), null);
    const {
      tools: [second],
    } = await apply([{ ...DEPLOY, description: 'Deploys otherwise.' }]);
    const call = deploy();
    expect(await verdictOf(call)).toBe('admitted');
    expect((await tenant.row(call.operation_id)).tool_definition_digest).toBe(second?.definition_digest);
  });
});
