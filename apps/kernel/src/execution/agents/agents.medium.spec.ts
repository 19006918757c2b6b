// SPDX-License-Identifier: Apache-2.0
//
// What a call does to another agent of its tenant, and what no call does.
import { MANAGED_CALLS_MAX, type OperationView, type ProposedCall } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { freezeRecord } from '../freezes/index.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { reportOf, type Attempt, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { AUTOPILOT, requires } from '../../specs/test-ports.ts';
import { grantResource } from '../../specs/test-resources.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { postable } from '../../judging/judgement/index.ts';

let kernel: TestKernel;
let run: TestExecution;
let tenant: TestTenant;
let token: string;
let other: string;
let otherToken: string;
openKernelSpec((on) => {
  ({ kernel, run } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  token = await tenant.token();
  other = await agentOf(tenant);
  otherToken = await tenant.token({}, { agent_id: other });
  kernel.policy.answer = () => AUTOPILOT;
});

async function agentOf(owner: TestTenant): Promise<string> {
  const agentId = newId('agent');
  await owner.query('INSERT INTO kernel.agent (agent_id, tenant_id, name) VALUES ($1, $2, $3)', [
    agentId,
    owner.tenantId,
    'other',
  ]);
  return agentId;
}
const grant = async (clearance: 'autopilot' | 'soft_gate' = 'autopilot'): Promise<void> =>
  grantResource(tenant, 'agent', { agentId: tenant.agentId, clearance });
const manage = (change: string, more: Record<string, unknown> = {}): ProposedCall =>
  tenant.call(token, {
    tool_id: 'agent.manage',
    args: { agent: other, change, ...(change === 'freeze' ? { reason: 'runs wild' } : {}), ...more },
    idempotency_key: newId('request'),
  });
const describeOther = (agent = other): ProposedCall =>
  tenant.call(token, { tool_id: 'agent.describe', args: { agent }, idempotency_key: null });
const theirs = (more: Partial<ProposedCall> = {}): ProposedCall =>
  tenant.call(otherToken, {
    agent_id: other,
    session_id: 'theirs',
    tool_id: 'task.list',
    args: {},
    idempotency_key: null,
    ...more,
  });
const decide = (call: ProposedCall): Promise<OperationView> => kernel.admit.run(call, null);
const codeOf = async (call: ProposedCall) => (await decide(call)).result?.error?.code;
/** Runs a call to its end. Its executor says that it worked, and what it says changes nothing else. */
async function done(call: ProposedCall): Promise<Awaited<ReturnType<TestTenant['row']>>> {
  const { attempt } = await run.perform(tenant, call);
  await report(attempt);
  return await tenant.row(call.operation_id);
}
const CLAIMED = { change: 'lift', freeze_id: null, operations: [], more_operations: false };
const report = (attempt: Attempt) =>
  run.commit.run(reportOf(attempt, null, { result: { ...CLAIMED, agent_id: other } }));
const seen = async () => (await run.perform(tenant, describeOther())).redemption.agent;
const freezes = async (): Promise<{ placed_by: string; lifted_by: string | null }[]> =>
  (
    await kernel.admin.query<{ placed_by: string; lifted_by: string | null }>(
      'SELECT placed_by, lifted_by FROM kernel.freeze WHERE subject = $1 ORDER BY created_at',
      [other],
    )
  ).rows;
const recordsOf = async (verb: string): Promise<Record<string, unknown>[]> =>
  (
    await kernel.admin.query<{ payload: Buffer }>('SELECT payload FROM kernel.outbox WHERE tenant_id = $1', [
      tenant.tenantId,
    ])
  ).rows
    .map(({ payload }) => JSON.parse(payload.toString('utf8')) as { predicate?: Record<string, unknown> })
    .map((row) => (row.predicate ?? row) as Record<string, unknown>)
    .filter((row) => JSON.stringify(row).includes(`"${verb}"`));

/** A freeze that a person places, as the API does. */
async function placedByPerson(): Promise<string> {
  const owner = { tenant: tenant.tenantId, log: tenant.tenantId as never, actor: 'key_person' };
  const freeze = {
    freeze_id: newId('freeze'),
    scope: 'agent' as const,
    subject: other,
    reason: 'by a person',
    expires_at: null,
  };
  const record = freezeRecord(kernel.sealer, owner, 'freeze_placed', freeze, Date.now());
  await kernelSql.placeFreeze(kernel.tenants.pool, {
    tenant: tenant.tenantId,
    p: { freeze: { ...freeze, placed_by: owner.actor }, log_tenant: owner.log, record: postable(record), seen: null },
  });
  return freeze.freeze_id;
}

describe('an agent that is granted another one', () => {
  beforeEach(() => grant());

  it('sees its state, its sessions and its calls that have not ended', async () => {
    const running = theirs();
    await run.perform(tenant, running);
    expect(await seen()).toEqual({
      agent_id: other,
      name: 'other',
      state: 'active',
      freezes: [],
      sessions: ['theirs'],
      operations: [
        expect.objectContaining({ operation_id: running.operation_id, state: 'performing', session_id: 'theirs' }),
      ],
      more_operations: false,
    });
  });

  it('freezes it: its calls are refused, and those that run stop and never commit', async () => {
    const { attempt } = await run.perform(tenant, theirs());
    const row = await done(manage('freeze'));
    expect(row).toMatchObject({ state: 'committed', tx_outcome: 'committed' });
    expect(await codeOf(theirs())).toBe('frozen');
    await run.commit.run(reportOf(attempt, null, { result: { tasks: [] } }));
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ fault_code: 'frozen' });
    expect(kernel.events.stops).toContain(`${attempt.operation_id} 1`);
    expect(await recordsOf('freeze_placed')).toHaveLength(1);
    expect(await seen()).toMatchObject({
      state: 'frozen',
      freezes: [
        { freeze_id: row.operation_id.replace('op_', 'frz_'), scope: 'agent', reason: 'runs wild', placed_by: 'you' },
      ],
    });
  });

  it('lifts its own freeze, and its calls pass again', async () => {
    await done(manage('freeze'));
    expect(await done(manage('lift'))).toMatchObject({ state: 'committed' });
    expect(await decide(theirs())).toMatchObject({ state: 'admitted' });
    expect(await recordsOf('freeze_lifted')).toHaveLength(1);
  });

  it('cancels its calls that wait or run', async () => {
    const { attempt } = await run.perform(tenant, theirs());
    const waiting = theirs();
    await decide(waiting);
    const { attempt: managing } = await run.perform(tenant, manage('cancel'));
    await report(managing);
    expect(await tenant.row(waiting.operation_id)).toMatchObject({
      // As `refused` where it had no permit yet.
      state: expect.stringMatching(/^(refused|rolled_back|no_op)$/) as string,
      fault_code: 'cancelled',
    });
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ state: 'performing', cancel_requested: true });
    expect(kernel.events.stops).toContain(`${attempt.operation_id} 1`);
    await run.commit.run(reportOf(attempt, null, { result: { tasks: [] } }));
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ fault_code: 'cancelled' });
    expect(await recordsOf('cancel_requested')).toHaveLength(2);
  });

  it('sees and cancels its calls that run, however many of its calls wait for a person', async () => {
    const { attempt } = await run.perform(tenant, theirs());
    kernel.policy.answer = requires('soft_gate');
    for (let held = 0; held <= MANAGED_CALLS_MAX; held++)
      expect(await decide(theirs({ session_mode: 'interactive' }))).toMatchObject({ state: 'held' });
    kernel.policy.answer = () => AUTOPILOT;
    const state = await seen();
    expect(state?.operations[0]).toMatchObject({ operation_id: attempt.operation_id, cancel_requested: false });
    await done(manage('cancel'));
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ state: 'performing', cancel_requested: true });
  });

  it('cancels more calls than one call covers by cancelling again', async () => {
    const { attempt } = await run.perform(tenant, theirs());
    const facts = (rows: number) =>
      kernelSql.agentChangeFacts(kernel.tenants.pool, {
        tenant: tenant.tenantId,
        agent: other,
        by: tenant.agentId,
        rows,
      });
    const waiting = theirs();
    await decide(waiting);
    const idsOf = async (rows: number) => (await facts(rows)).calls.map(({ operation_id }) => operation_id);
    expect(await idsOf(1)).toEqual([attempt.operation_id]);
    await tenant.query('UPDATE kernel.operation SET cancel_requested = true WHERE operation_id = $1', [
      attempt.operation_id,
    ]);
    expect(await idsOf(1)).toEqual([waiting.operation_id]);
  });

  it('never lifts what a person placed, before or after its own freeze', async () => {
    await placedByPerson();
    expect(await done(manage('lift'))).toMatchObject({ state: 'rolled_back', fault_code: 'agent.conflict' });
    await done(manage('freeze'));
    await done(manage('lift'));
    expect(await codeOf(theirs())).toBe('frozen');
    expect(await freezes()).toEqual([
      { placed_by: 'key_person', lifted_by: null },
      { placed_by: tenant.agentId, lifted_by: tenant.agentId },
    ]);
  });

  it('cannot take back what a person placed on an agent that it had frozen', async () => {
    await done(manage('freeze'));
    await placedByPerson();
    await done(manage('lift'));
    expect(await codeOf(theirs())).toBe('frozen');
  });

  it('freezes it once: the second freeze changes nothing', async () => {
    await done(manage('freeze'));
    expect(await done(manage('freeze'))).toMatchObject({ state: 'rolled_back', fault_code: 'agent.conflict' });
    expect(await freezes()).toHaveLength(1);
  });

  it('freezes it for a time, after which its calls pass', async () => {
    await done(manage('freeze', { seconds: 3_600 }));
    const [row] = (await seen())?.freezes ?? [];
    expect((row?.expires_at ?? 0) - (row?.created_at ?? 0)).toBeGreaterThan(3_500_000);
  });

  it('changes nothing once its grant is taken back, though the call was admitted', async () => {
    const { attempt } = await run.perform(tenant, manage('freeze'));
    await tenant.query(
      `DELETE FROM kernel.resource_grant WHERE tenant_id = $1 AND kind = 'agent' AND "right" = 'use'`,
      [tenant.tenantId],
    );
    await report(attempt);
    expect(await tenant.row(attempt.operation_id)).toMatchObject({
      state: 'rolled_back',
      fault_code: 'resource.unknown',
    });
    expect(await freezes()).toEqual([]);
  });

  it('cannot manage itself, whatever it is granted', async () => {
    expect(await codeOf(manage('freeze', { agent: tenant.agentId }))).toBe('agent.itself');
    expect(await decide(describeOther(tenant.agentId))).toMatchObject({ state: 'admitted' });
  });

  it('two that freeze each other at once both end, and nothing deadlocks', async () => {
    await grantResource(tenant, 'agent', { agentId: other });
    const mine = await run.perform(tenant, manage('freeze'));
    const back = await run.perform(
      tenant,
      theirs({
        tool_id: 'agent.manage',
        args: { agent: tenant.agentId, change: 'freeze', reason: 'back' },
        idempotency_key: newId('request'),
      }),
    );
    await Promise.all([report(mine.attempt), report(back.attempt)]);
    const rows = await Promise.all([mine, back].map(({ attempt }) => tenant.row(attempt.operation_id)));
    // The second one is frozen by the first.
    expect(rows.map(({ state }) => state).sort()).toEqual(['committed', 'rolled_back']);
    expect(rows.map(({ fault_code }) => fault_code)).toContain('frozen');
  });
});

it('an agent without a grant reaches no other one, and cannot tell it from one that is not there', async () => {
  const elsewhere = await agentOf(await kernel.newTenant());
  const answers = [];
  for (const agent of [other, elsewhere, newId('agent')]) {
    const { code, message, hint } = (await decide(describeOther(agent))).result?.error ?? {};
    answers.push({ code, message, hint });
    expect(await codeOf(manage('freeze', { agent }))).toBe('resource.unknown');
  }
  expect(new Set(answers.map((each) => JSON.stringify(each))).size).toBe(1);
});

it('an agent of another tenant is not granted with all agents of the own one', async () => {
  await grant();
  expect(await codeOf(manage('freeze', { agent: await agentOf(await kernel.newTenant()) }))).toBe('resource.unknown');
});

it('a grant with a clearance makes a person approve', async () => {
  await grant('soft_gate');
  expect(await decide({ ...manage('freeze'), session_mode: 'interactive' })).toMatchObject({ state: 'held' });
});

it.each([
  ['a freeze without a reason', 'freeze', { reason: undefined }, '/reason'],
  ['a lift with a reason', 'lift', { reason: 'x' }, '/reason'],
  ['a cancellation with a time', 'cancel', { seconds: 5 }, '/seconds'],
])('%s is refused by the arguments', async (_, change, args, pointer) => {
  await grant();
  const { result } = await decide(manage(change, args));
  expect(result?.error).toMatchObject({ code: 'args.invalid' });
  expect(JSON.stringify(result?.error)).toContain(pointer);
});
