// SPDX-License-Identifier: Apache-2.0
import { BACKTEST_PAYLOAD_TYPE } from '@writ/contract';
import { parseVerifier, verifyEnvelope } from '@writ/signing';
import { InlineTaskRunner } from '@writ/worker-pool';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { requestBy, callerOf, refusalOf, type TestManagement } from '../../specs/test-management.ts';
import { openPolicyKernel, setOf, type PolicyKernel } from '../../specs/test-policies.ts';
import { TestRegistrar } from '../../specs/test-registrar.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { BacktestPolicy, ExplainOperation, RecordedCalls, RecordedEffects, ReplayCalls, Simulate } from './index.ts';
import { EffectExaminer, StoredDeltas } from '../../execution/effects/index.ts';
import { kernelTasks } from '../../kernel.worker.ts';
import { ToolReader } from '../../judging/judgement/index.ts';
import { newId } from '@writ/nest-kit';
import { Trees } from '../../foundation/workspace/trees.ts';

let kernel: PolicyKernel;
let tenant: TestTenant;
let token: string;
let simulate: Simulate;
let backtest: BacktestPolicy;
let explain: ExplainOperation;
let replay: ReplayCalls;
let manage: TestManagement;
openKernelSpec((on) => {
  ({ kernel, manage } = on);
  const trees = new Trees(kernel.blobs);
  const recorded = new RecordedCalls({ ...kernel, trees, tools: new ToolReader(kernel.engine.work) });
  simulate = new Simulate({ ...kernel, trees });
  const work = new InlineTaskRunner(kernelTasks);
  const effects = new RecordedEffects({
    ...kernel,
    deltas: new StoredDeltas(kernel.blobs, work),
    examiner: new EffectExaminer(kernel.blobs, kernel.tenants, work),
  });
  backtest = new BacktestPolicy(recorded, kernel.policyRepository, kernel.signer, {
    effects,
    now: () => performance.now(),
  });
  explain = new ExplainOperation(recorded, kernel.policyRepository);
  replay = new ReplayCalls(recorded, kernel.policyRepository);
}, openPolicyKernel);
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello', '.env': 'KEY=1' });
  token = await tenant.token();
});

const NO_READS = setOf(
  'no-reads',
  '@id("no.reads") @reason("nothing is read here") @would_pass("another tool") forbid (principal, action == Action::"fs.read", resource);',
);
const callOf = (more = {}) => ({
  agent_id: tenant.agentId,
  capability_token_id: token,
  workspace_id: tenant.workspaceId,
  tool_id: 'fs.read',
  args: { path: 'a.txt' },
  session_id: null,
  session_mode: 'interactive' as const,
  max_autonomy: null,
  task_class: 'general',
  ...more,
});
const ask = (more = {}, call = callOf()) =>
  simulate.run({ ...kernel.asAdmin(tenant), policy: null, document: null, call, ...more });
const test = (more = {}) =>
  backtest.run({
    ...kernel.asAdmin(tenant),
    policy: null,
    document: { ...NO_READS },
    since: 0,
    cursor: null,
    limit: 100,
    ...more,
  });

describe('a simulation', () => {
  it("returns the verdict on a call under the active set, a named one or one that isn't stored", async () => {
    expect(await ask()).toMatchObject({ simulated: true, would_be: 'admitted', explanation: { mode: 'autopilot' } });
    expect(await ask({ document: { ...NO_READS } })).toMatchObject({
      would_be: 'refused',
      error: { code: 'policy.denied' },
      explanation: { would_pass: ['another tool'], rules: [{ id: 'no.reads' }] },
    });
    expect(await ask({ policy: 'strict' }, callOf({ tool_id: 'shell.run', args: { command: 'ls' } }))).toMatchObject({
      would_be: 'held',
      approvers: { count: 1, role: 'operator' },
    });
    expect(await ask({}, callOf({ args: { path: '../x' } }))).toMatchObject({
      would_be: 'refused',
      error: { code: 'path.escape' },
      explanation: null,
    });
  });

  it('returns the rules that can never apply, of a stored and of another set', async () => {
    const vain = {
      ...NO_READS,
      name: 'vain',
      cedar:
        '@id("all") permit (principal, action, resource);\n@id("none") @reason("no") forbid (principal, action == Action::"write", resource);',
    };
    const warnings = [
      { pointer: '/cedar', line: 2, message: expect.stringContaining('the rule `none` can never apply') as unknown },
    ];
    expect(await ask({ document: vain })).toMatchObject({ would_be: 'admitted', warnings });
    await kernel.putSet(tenant, vain);
    expect(await ask({ policy: 'vain' })).toMatchObject({ warnings });
    expect(await ask()).toMatchObject({ warnings: [] });
  });

  it('writes, reserves, records and labels nothing', async () => {
    const poor = await tenant.token({ budgets: { calls: 1 } });
    for (let n = 0; n < 3; n += 1)
      expect(await ask({}, callOf({ capability_token_id: poor, args: { path: '.env' } }))).toMatchObject({
        would_be: 'admitted',
        labels: [],
      });
    expect([
      await tenant.countOf('operation'),
      await tenant.countOf('outbox'),
      await tenant.countOf('payload'),
    ]).toEqual([0, 0, 0]);
    expect((await tenant.budgetOf(poor))['calls']).toMatchObject({ reserved: 0, used: 0 });
  });

  it('is not for agents, and returns the faults of a set', async () => {
    const call = callOf();
    expect(
      await refusalOf(
        simulate.run({
          ...requestBy(callerOf(tenant.tenantId, 'agent', tenant.agentId)),
          policy: null,
          document: null,
          call,
        }),
      ),
    ).toMatchObject({ code: 'auth.role' });
    expect(await refusalOf(ask({ document: { v: 1 } }))).toMatchObject({ code: 'policy.invalid' });
  });
});

describe('an explanation', () => {
  it('returns the set that decided a call, its reasons, and whether the active set decides alike', async () => {
    const { operation_id } = await kernel.admit.run(tenant.call(token), null);
    expect(await explain.run({ ...kernel.asAdmin(tenant), operation_id })).toMatchObject({
      asked: true,
      then: { policy: { name: 'default' }, mode: 'autopilot' },
      alike: true,
    });
    await kernel.install(tenant, NO_READS);
    expect(await explain.run({ ...kernel.asAdmin(tenant), operation_id })).toMatchObject({
      then: { mode: 'autopilot' },
      now: { mode: 'no_go', rule_ids: ['no.reads'] },
      alike: false,
    });
  });

  it('includes the agents whose rights the call used', async () => {
    await kernel.install(
      tenant,
      setOf(
        'boss',
        `@id("boss") @reason("not for that agent") @would_pass("x") forbid (principal, action, resource) when { context.delegated_by.contains(Agent::"${tenant.agentId}") };`,
      ),
    );
    const agent_id = newId('agent');
    await tenant.query('INSERT INTO kernel.agent (agent_id, tenant_id, name) VALUES ($1, $2, $3)', [
      agent_id,
      tenant.tenantId,
      'sub',
    ]);
    const { operation_id } = await kernel.admit.run(
      tenant.call(await tenant.token({}, { parent_id: token, agent_id }), { agent_id }),
      null,
    );
    expect(await explain.run({ ...kernel.asAdmin(tenant), operation_id })).toMatchObject({
      then: { mode: 'no_go', rule_ids: ['boss'] },
      alike: true,
    });
  });

  it('returns why policy was not evaluated on a call', async () => {
    const { operation_id } = await kernel.admit.run(tenant.call('cap_x'), null);
    expect(await explain.run({ ...kernel.asAdmin(tenant), operation_id })).toMatchObject({
      asked: false,
      why_not: expect.stringContaining('token.unknown') as string,
    });
    expect(await refusalOf(explain.run({ ...kernel.asAdmin(await kernel.newTenant()), operation_id }))).toMatchObject({
      code: 'not_found',
    });
  });

  it("counts the session's past as it was then", async () => {
    await kernel.install(
      tenant,
      setOf('once', '', {
        history: [{ id: 'once', kind: 'at_most', tools: ['fs.read'], n: 1, then: 'refuse', reason: 'once' }],
      }),
    );
    const { operation_id } = await kernel.admit.run(tenant.call(token), null);
    await kernel.admit.run(tenant.call(token), null);
    expect(await explain.run({ ...kernel.asAdmin(tenant), operation_id })).toMatchObject({
      then: { mode: 'autopilot' },
      alike: true,
    });
  });
});

describe('a backtest', () => {
  it('returns the decisions that would change, with counts and examples', async () => {
    const reads = [await kernel.admit.run(tenant.call(token), null), await kernel.admit.run(tenant.call(token), null)];
    await kernel.admit.run(tenant.writeCall(token), null);
    await kernel.admit.run(tenant.call('cap_x'), null);
    const { page } = await test();
    expect(page).toMatchObject({
      examined: 4,
      skipped: 1,
      changed: 2,
      changes: [{ from: 'autopilot', to: 'no_go', tool_id: 'fs.read', count: 2 }],
      next_cursor: null,
      candidate: { name: 'no-reads' },
    });
    expect(page.examples.map(({ operation_id }) => operation_id).sort()).toEqual(
      reads.map(({ operation_id }) => operation_id).sort(),
    );
    expect((await test({ policy: 'default', document: null })).page).toMatchObject({ changed: 0 });
  });

  it('is returned page by page, each signed under its own payload type', async () => {
    for (let n = 0; n < 5; n += 1) await kernel.admit.run(tenant.call(token), null);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const { page, envelope } = await test({ limit: 2, cursor });
      const verifiers = new Map([[kernel.signer.keyid, parseVerifier(kernel.signer.publicJwk)]]);
      expect(JSON.parse(Buffer.from(verifyEnvelope(envelope, verifiers, BACKTEST_PAYLOAD_TYPE)).toString())).toEqual(
        page,
      );
      expect(() => verifyEnvelope(envelope, verifiers, 'application/vnd.in-toto+json')).toThrow();
      expect(page.cursor).toBe(cursor);
      seen.push(...page.examples.map(({ operation_id }) => operation_id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(new Set(seen).size).toBe(5);
  });
});

describe('a replay', () => {
  const again = (calls: Parameters<ReplayCalls['run']>[0]['calls'], more = {}, caller = kernel.asAdmin(tenant)) =>
    replay.run({ ...caller, policy: null, document: { ...NO_READS }, calls, ...more });
  const by = ({ operation_id }: { readonly operation_id: string }) => ({ operation_id });

  it('returns for each named call the verdicts of the set that decided and of the candidate', async () => {
    const read = await kernel.admit.run(tenant.call(token), null);
    const write = tenant.writeCall(token, { idempotency_key: 'run_1/2/0' });
    await kernel.admit.run(write, null);
    const { candidate, items } = await again([
      { agent_id: tenant.agentId, tool_id: write.tool_id, idempotency_key: 'run_1/2/0' },
      by(read),
      { agent_id: tenant.agentId, tool_id: 'fs.read', idempotency_key: 'run_1/2/0' },
    ]);
    expect(candidate).toMatchObject({ name: 'no-reads', enforcement: 'enforce' });
    expect(items).toMatchObject([
      {
        operation_id: write.operation_id,
        tool_id: write.tool_id,
        was: { verdict: 'admitted' },
        would_be: { verdict: 'admitted' },
        why_not: null,
      },
      {
        ...by(read),
        was: { verdict: 'admitted', mode: 'autopilot' },
        would_be: {
          verdict: 'refused',
          mode: 'no_go',
          decided: 'no_go',
          rule_ids: ['no.reads'],
          reasons: [{ code: 'no.reads', message: 'nothing is read here' }],
        },
      },
      null,
    ]);
  });

  it('returns what an observing set would have decided, and enforces nothing', async () => {
    const read = await kernel.admit.run(tenant.call(token), null);
    expect((await again([by(read)], { document: { ...NO_READS, enforcement: 'observe' } })).items).toMatchObject([
      { would_be: { verdict: 'admitted', mode: 'autopilot', decided: 'no_go' } },
    ]);
  });

  it('writes, reserves and records nothing', async () => {
    const poor = await tenant.token({ budgets: { calls: 2 } });
    const read = await kernel.admit.run(tenant.call(poor), null);
    const counts = async () => [
      await tenant.countOf('operation'),
      await tenant.countOf('outbox'),
      await tenant.countOf('payload'),
      await tenant.budgetOf(poor),
    ];
    const before = await counts();
    for (let n = 0; n < 3; n += 1) expect((await again([by(read)])).items).toHaveLength(1);
    expect(await counts()).toEqual(before);
  });

  it('has no verdict on erased calls and on calls that policy did not evaluate', async () => {
    const [read, unknown] = [
      await kernel.admit.run(tenant.call(token), null),
      await kernel.admit.run(tenant.call('cap_x'), null),
    ];
    await tenant.query('UPDATE kernel.payload SET args = NULL WHERE operation_id = $1', [read.operation_id]);
    expect((await again([by(read), by(unknown)])).items).toMatchObject([
      { was: null, would_be: null, why_not: 'the arguments of the call were erased' },
      { was: null, would_be: null, why_not: expect.stringContaining('token.unknown') as string },
    ]);
  });

  it('is for administrators and operators, and shows no call of another tenant', async () => {
    const read = await kernel.admit.run(tenant.call(token), null);
    for (const role of ['agent', 'auditor'] as const) {
      expect(
        await refusalOf(
          again([by(read)], {}, requestBy(callerOf(tenant.tenantId, role, role === 'agent' ? tenant.agentId : null))),
        ),
      ).toMatchObject({ code: 'auth.role' });
    }
    expect((await again([by(read)], {}, kernel.asAdmin(await kernel.newTenant()))).items).toEqual([null]);
    expect(await refusalOf(again([], { document: { v: 1 } }))).toMatchObject({ code: 'policy.invalid' });
    expect(await refusalOf(again([], { document: null, policy: 'none-such' }))).toMatchObject({ code: 'not_found' });
  });
});

describe('a script in a registered sandbox', () => {
  const args = { sandbox: 'build', script: { operations: [{ verb: 'Include', args: ['clean'] }] } };

  it('is simulated and explained by the definition of the sandbox, while it is unchanged', async () => {
    const script = callOf({ tool_id: 'mk8.run', args });
    expect(await ask({}, script)).toMatchObject({ would_be: 'refused', error: { code: 'sandbox.unknown' } });
    const registrar = await TestRegistrar.of(manage, tenant);
    await registrar.register({ fragments: { clean: [{ verb: 'HttpPut', args: ['http://a.example/', '$WHO'] }] } });
    await registrar.sign('WHO=world\n');
    token = await tenant.token({ net: [{ domain: 'a.example', methods: ['PUT'] }] });
    const simulated = await ask({}, { ...script, capability_token_id: token });
    expect(simulated).toMatchObject({
      would_be: 'held',
      reasons: expect.arrayContaining([expect.objectContaining({ code: 'sandbox.signed' })]),
    });
    const { operation_id, autonomy_mode } = await kernel.admit.run(
      tenant.writeCall(token, { tool_id: 'mk8.run', args }),
      null,
    );
    expect(autonomy_mode).toBe(simulated.autonomy_mode);
    expect(await explain.run({ ...kernel.asAdmin(tenant), operation_id })).toMatchObject({
      asked: true,
      then: { mode: autonomy_mode },
      alike: true,
    });
    await registrar.sign('WHO=nobody\n');
    expect(await explain.run({ ...kernel.asAdmin(tenant), operation_id })).toMatchObject({
      asked: false,
      why_not: expect.stringContaining('another by now'),
    });
  });
});
